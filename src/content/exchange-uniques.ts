import type { ContentType } from '#model/schema/content-type.js';
import { isShared, type UniquePath, uniquePaths, valuesAt } from '#model/schema/attribute-places.js';
import { storedDraft } from '#store/form/draft.js';
import { localeGroup, uniqueFields } from '#store/form/layout.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { ownRows } from '#store/write/own-rows.js';
import type { ContentContext } from './content-context.js';

/**
 * Removes the unique values of entries that the drafts beside others take, if their own drafts have other values: an index would refuse
 * the first of the drafts. Runs in the transaction in which all these drafts become their entries.
 * Nobody outside of it sees the entries without the values; code that runs before these writes does.
 */
export async function freeTakenValues(
  type: ContentType,
  entries: readonly StoredDocument[],
  { bind, store }: ContentContext,
): Promise<void> {
  const changing = entries.filter((entry) => storedDraft.of(entry) !== null);
  const changes = uniquePaths(type, bind.registry).flatMap((path) => {
    const isOfGroup = type.localized && isShared(type.attributes.get(path.names[0] ?? ''));
    const match = (entry: StoredDocument) => (isOfGroup ? localeGroup.match(localeGroup.of(entry)) : { _id: entry['_id'] });
    return givingUp(changing, path).map((entry) => [match(entry), { unset: [uniqueFields.field(path)] }] as const);
  });
  for (const [match, change] of changes) await ownRows(type.collection).change(store.database, match, change);
}

/** Returns the entries with a value at a path that their drafts do not have, but the draft of another one has. */
function givingUp(entries: readonly StoredDocument[], path: UniquePath): readonly StoredDocument[] {
  const names = uniqueFields.field(path).split('.');
  const keysOf = (document: StoredDocument) => new Set(valuesAt(document, { names }).map(({ value }) => String(value)));
  const compared = entries.map((entry) => ({ entry, before: keysOf(entry), after: keysOf(storedDraft.inPlace(entry)) }));
  return compared
    .filter((one) =>
      [...one.before].some(
        (key) => !one.after.has(key) && compared.some(({ after, before }) => after.has(key) && !before.has(key)),
      ),
    )
    .map(({ entry }) => entry);
}
