import { type PlacedRecord, sizeOf } from '../source.js';
import type { TransferredEntry } from '../../raw/transferred.js';
import type { Values } from '#base/values.js';
import type { V3Model } from './v3-models.js';
import { adaptPanelPermission } from './v3-panel.js';

/** Returns the record of an entry, converted if Strapi v4 stores its type in another form; empty for a disabled permission. */
export function adaptDocument(entry: TransferredEntry, document: Values, models: readonly V3Model[]): readonly PlacedRecord[] {
  const record = (adapted: TransferredEntry): PlacedRecord => ({ stage: 'entities', ...adapted, bytes: sizeOf(document) });
  switch (entry.type) {
    case 'plugin::upload.file':
      return [record({ ...entry, data: { ...entry.data, folderPath: '/' } })];
    case 'plugin::users-permissions.permission':
      return document['enabled'] === true ? [record(adaptPermission(entry, document, models))] : [];
    case 'admin::permission':
      return [record({ ...entry, data: adaptPanelPermission(entry.data, models) })];
    default:
      return [record(entry)];
  }
}

/**
 * Converts a permission. A permission of an unknown plugin gets a type of that plugin, so that it is reported and not imported.
 */
function adaptPermission(
  entry: TransferredEntry,
  { type, controller, action }: Values,
  models: readonly V3Model[],
): TransferredEntry {
  const name = actionOf(String(type), String(controller), String(action).toLowerCase(), models);
  if (name === null) return { ...entry, type: `plugin::${String(type)}.permission` };
  return { ...entry, data: { ...entry.data, action: name } };
}

/** The spellings of actions, which Strapi v3 writes in lower case. */
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
