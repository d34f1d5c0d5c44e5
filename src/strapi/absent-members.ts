import type { Notices } from '../notices.js';
import { missingMember } from './unsupported-code.js';

type Members = Readonly<Record<string, unknown>>;

/** Returns `strapi.webhookStore`, which much code calls at the start and whose work is not done here. */
export const absentMembers = (notices: Notices) => ({
  webhookStore: webhooks(() => {
    notices.tell(
      'strapi.webhookStore stores nothing: Mangrove sends no webhooks; run notifications outside of the service, over its API',
    );
  }),
});

const nothing = (): Promise<void> => Promise.resolve();

const register = { register: nothing, registerMany: nothing };

/** Returns an object whose other members throw the error of `strapi.admin`. */
const only = (members: Members): Members =>
  new Proxy(members, {
    get: (known, name) => {
      if (typeof name === 'symbol' || name in known || name === 'then') return Reflect.get(known, name);
      throw missingMember('strapi', 'admin') ?? new Error(`there is no strapi.admin.${name}`);
    },
  });

/**
 * `strapi.admin` for code outside of hooks of plugins: permissions and conditions that it registers have no effect. Other members
 * throw an UnsupportedCodeError.
 */
export const absentAdmin: unknown = only({
  services: only({ permission: only({ actionProvider: register, conditionProvider: register }) }),
});

/** Returns the store of webhooks, as it is when it is empty. */
function webhooks(tell: () => void): Members {
  const answering = (result: unknown) => (): Promise<unknown> => {
    tell();
    return Promise.resolve(result);
  };
  const changes = ['createWebhook', 'updateWebhook', 'deleteWebhook', 'addAllowedEvent', 'removeAllowedEvent'];
  return {
    allowedEvents: new Map(),
    findWebhooks: () => Promise.resolve([]),
    findWebhook: () => Promise.resolve(null),
    ...Object.fromEntries(changes.map((name) => [name, answering(null)])),
  };
}
