import { viewPrefix } from '#store/stores/code-store.js';
import { isRecord, type Values } from '#base/values.js';
import { scalars, type V3Model } from './v3-models.js';

const panelModel = (name: string, collection: string, attributes: V3Model['attributes']): V3Model => ({
  uid: `admin::${name}`,
  name,
  plugin: 'admin',
  collection,
  attributes,
  definition: { uid: `strapi::${name}`, attributes },
});

/** The models of administrators, their roles and permissions, which are the same in all projects. */
export const panelModels: readonly V3Model[] = [
  panelModel('user', 'strapi_administrator', {
    ...scalars('string', ['firstname', 'lastname', 'username', 'email', 'preferedLanguage']),
    ...scalars('boolean', ['isActive', 'blocked']),
    password: { type: 'password' },
    roles: { collection: 'role', plugin: 'admin' },
  }),
  panelModel('role', 'strapi_role', scalars('string', ['name', 'code', 'description'])),
  panelModel('permission', 'strapi_permission', {
    ...scalars('string', ['action', 'subject']),
    ...scalars('json', ['properties', 'fields', 'conditions']),
    role: { model: 'role', plugin: 'admin' },
  }),
];

/** The uid of a model as Strapi v3 writes it in settings and permissions: `application::story.story`. */
const uidIn = (uid: string, models: readonly V3Model[]): string =>
  models.find(({ definition }) => definition['uid'] === uid)?.uid ?? uid;

/** Returns the key of a setting in the form of Strapi v4, which names models by their uid there. */
export function adaptKey(key: string, models: readonly V3Model[]): string {
  const [, start = '', uid = ''] = key.startsWith(viewPrefix) ? (/^(.*?::)(.+)$/.exec(key) ?? []) : [];
  return start === '' ? key : `${start}${uidIn(uid, models)}`;
}

/** Returns the values of a permission of administrators in the form of Strapi v4. Before 3.5, fields stood beside the other values. */
export function adaptPanelPermission({ fields, ...data }: Values, models: readonly V3Model[]): Values {
  const { action, subject, properties } = data;
  return {
    ...data,
    action: String(action).replace(/^plugins::/, 'plugin::'),
    subject: typeof subject === 'string' ? uidIn(subject, models) : null,
    properties: isRecord(properties) ? properties : Array.isArray(fields) ? { fields: fields as unknown } : {},
  };
}
