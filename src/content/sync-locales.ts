import { readAll } from '../mongo/database.js';
import { bulkWrite } from '../mongo/write-entries.js';
import type { Attribute, ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';
import { copyParts } from './copy-parts.js';
import type { StoredDocument } from '../mongo/loaded.js';

/** Of the names, the attributes that have one value for all locales of an entry. */
export function sharedNames(type: ContentType, names: readonly string[]): string[] {
  if (!type.localized) return [];
  return names.filter((name) => isShared(type.attributes.get(name)));
}

export const isShared = (attribute: Attribute | undefined): attribute is Attribute =>
  attribute !== undefined && attribute.visible && !attribute.localized;

/** Copies the shared values of an entry to its other locales; components as copies with ids of their own. In its transaction. */
export async function syncLocales(
  type: ContentType,
  id: number,
  names: readonly string[],
  context: ContentContext,
): Promise<void> {
  const { store } = context;
  const [entry] =
    names.length === 0 ? [] : await readAll(store.database, { find: type.collection, filter: { _id: id }, limit: 1 });
  if (entry === undefined) return;
  const filter = { _group: entry['_group'], _id: { $ne: id } };
  const siblings = await readAll(store.database, { find: type.collection, filter, projection: { _id: 1 } });
  const operations = await Promise.all(
    siblings.map(async ({ _id }) => ({
      updateOne: {
        filter: { _id: _id as number },
        update: { $set: { ...(await copyValues(type, entry, names, context)), updatedAt: new Date() } },
      },
    })),
  );
  await bulkWrite(store, type.collection, operations);
}

/** The values of some attributes, fit for another entry. */
export async function copyValues(
  type: ContentType,
  entry: StoredDocument,
  names: readonly string[],
  context: ContentContext,
): Promise<Record<string, unknown>> {
  const copied = await Promise.all(
    names.map(async (name) => [name, await copyParts(type.attributes.get(name), entry[name] ?? null, context)] as const),
  );
  return Object.fromEntries(copied);
}
