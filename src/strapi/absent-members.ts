import type { Config } from '../config/config.js';
import type { Notices } from '../notices.js';
import { customFieldType } from '../schema/custom-field-type.js';
import { missingMember } from './unsupported-code.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the members of `strapi` that much code calls at the start and whose work is not done here: custom fields, the permissions
 * and conditions of an admin panel, and webhooks. Other members of `strapi.admin` throw an UnsupportedCodeError.
 */
export const absentMembers = (notices: Notices, { api }: Pick<Config, 'api'>) => ({
  customFields: {
    register: (fields: CustomField | readonly CustomField[]) => {
      for (const line of [fields].flat().flatMap((field) => otherType(field, api.customFields))) notices.tell(line);
    },
  },
  admin: only({ services: only({ permission: only({ actionProvider: register, conditionProvider: register }) }) }),
  webhookStore: webhooks(() => {
    notices.tell(
      'strapi.webhookStore stores nothing: Mangrove sends no webhooks; run notifications outside of the service, over its API',
    );
  }),
});

interface CustomField {
  readonly name: string;
  readonly plugin?: string;
  readonly type: string;
}

/** Returns a line if a custom field is stored as another type than the one that code registers; models are read before code runs. */
function otherType({ name, plugin, type }: CustomField, configured: Config['api']['customFields']): readonly string[] {
  const uid = plugin === undefined ? `global::${name}` : `plugin::${plugin}.${name}`;
  const stored = customFieldType(uid, configured) ?? 'json';
  if (stored === type) return [];
  return [`the custom field ${uid} is stored as ${stored}, not as ${type}: set api.customFields: { '${uid}': '${type}' }`];
}

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
