import { userUid } from '../../accounts/user-store.js';
import { viewPrefix } from '../../mongo/stores/code-store.js';
import { isRecord, recordsIn, type Values } from '../../values.js';
import { sizeOf, type TransferRecord } from '../source.js';
import type { RestClient } from './rest-client.js';
import { isPolymorphic, type Shapes } from './rest-entries.js';

/** Returns the models that a service shows with the token. Throws an Error if there are none. */
export async function readSchemas(client: RestClient, kind: 'content-types' | 'components'): Promise<readonly Values[]> {
  const answer = await client.get(`/content-type-builder/${kind}`);
  const found = isRecord(answer) ? recordsIn(answer['data']) : [];
  if (found.length === 0 && kind === 'content-types')
    throw new Error(`${client.base} shows no models: the token must be one for full access`);
  return found.flatMap(({ uid, schema }) => {
    if (!isRecord(schema) || typeof uid !== 'string' || !isRecord(schema['attributes'])) return [];
    const { draftAndPublish, displayName, singularName, pluralName, description, ...rest } = schema;
    return [{ ...rest, uid, info: { displayName, singularName, pluralName, description }, options: { draftAndPublish } }];
  });
}

/** Returns the parts of the content that the API does not show, with the reasons. */
export function notesOn(shapes: Shapes): Map<string, string> {
  const notes = new Map([[userUid, 'passwords are not part of REST: users set new ones']]);
  for (const [uid, attributes] of shapes)
    for (const [name, attribute] of Object.entries(attributes)) {
      const reason = hiddenReason(uid, attribute);
      if (reason !== null) notes.set(`${uid} ${name}`, reason);
    }
  return notes;
}

function hiddenReason(uid: string, attribute: Values): string | null {
  if (!uid.startsWith('api::') && uid.includes('::')) return null;
  if (attribute['private'] === true || attribute['type'] === 'password') return 'private values are not part of REST';
  return isPolymorphic(attribute) ? 'polymorphic relations are not part of REST' : null;
}

const views = {
  type: { path: 'content-types', key: 'content_types', name: 'contentType' },
  component: { path: 'components', key: 'components', name: 'component' },
} as const;

/** Reads how the admin panel shows the entries of types and components, as the settings in which Strapi stores it. */
export async function* readViews(get: RestClient['get'], schemas: readonly Values[]): AsyncGenerator<TransferRecord> {
  for (const { uid } of schemas) {
    const { path, key, name } = views[String(uid).includes('::') ? 'type' : 'component'];
    const answer = await get(`/content-manager/${path}/${encodeURIComponent(String(uid))}/configuration`);
    const data = isRecord(answer) ? answer['data'] : null;
    const value = isRecord(data) ? data[name] : null;
    if (isRecord(value))
      yield { stage: 'configuration', key: `${viewPrefix}${key}::${String(uid)}`, value, bytes: sizeOf(value) };
  }
}
