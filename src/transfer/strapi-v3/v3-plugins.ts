import { type PlacedRecord, sizeOf } from '../source.js';
import type { TransferredEntry } from '../../mongo/transfer/transferred.js';
import type { Values } from '../../values.js';
import type { V3Model } from './v3-models.js';

/** Returns the record of an entry; types of plugins have another form in Strapi v4. Nothing: v4 has no place for it. */
export function adaptDocument(entry: TransferredEntry, document: Values, models: readonly V3Model[]): readonly PlacedRecord[] {
  const record = (adapted: TransferredEntry): PlacedRecord => ({ stage: 'entities', ...adapted, bytes: sizeOf(document) });
  switch (entry.type) {
    case 'plugin::upload.file':
      return [record({ ...entry, data: { ...entry.data, folderPath: '/' } })];
    case 'plugin::users-permissions.permission':
      return document['enabled'] === true ? [record(adaptPermission(entry, document, models))] : [];
    default:
      return [record(entry)];
  }
}

/** Permissions of plugins that there are not count as entries of those, which do not come. */
function adaptPermission(
  entry: TransferredEntry,
  { type, controller, action }: Values,
  models: readonly V3Model[],
): TransferredEntry {
  const name = actionOf(String(type), String(controller), String(action).toLowerCase(), models);
  if (name === null) return { ...entry, type: `plugin::${String(type)}.permission` };
  return { ...entry, data: { ...entry.data, action: name } };
}

/** Strapi v3 writes actions in lower case. */
const spellings: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['findOne', 'forgotPassword', 'resetPassword', 'changePassword', 'emailConfirmation', 'sendEmailConfirmation'],
    ...['createRole', 'updateRole', 'deleteRole', 'getPermissions'],
  ].map((name) => [name.toLowerCase(), name]),
);

function actionOf(type: string, controller: string, lowerCase: string, models: readonly V3Model[]): string | null {
  const action = spellings[lowerCase] ?? lowerCase;
  if (type === 'users-permissions') return `plugin::users-permissions.${renamed[controller] ?? controller}.${action}`;
  if (type === 'upload') return `plugin::upload.content-api.${action}`;
  const model = models.find(({ name, plugin }) => plugin === null && name.toLowerCase() === controller.toLowerCase());
  return type === 'application' && model !== undefined ? `${model.uid}.${action}` : null;
}

const renamed: Readonly<Record<string, string>> = { userspermissions: 'role', usersPermissions: 'role' };
