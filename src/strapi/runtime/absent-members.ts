import type { Notices } from '../../notices.js';

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

/**
 * Returns `strapi.admin`: permissions and conditions that code registers have no effect. `missing` returns the value of any other
 * member, or throws.
 */
export function absentAdmin(missing: () => unknown): unknown {
  const only = (members: Members): Members =>
    new Proxy(members, {
      get: (known, name) => (typeof name === 'symbol' || name in known || name === 'then' ? Reflect.get(known, name) : missing()),
    });
  return only({ services: only({ permission: only({ actionProvider: register, conditionProvider: register }) }) });
}

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
