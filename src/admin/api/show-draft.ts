import { contextOfCode } from '#api/code/content-of-code.js';
import { readWholeEntry } from '#api/history/whole-entry.js';
import { notFoundError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { storedDraft } from '#store/form/draft.js';
import type { Attribute } from '#model/schema/content-type.js';
import { findFirst } from '#store/stored.js';
import type { AdminCall } from './admin-call.js';
import { checkReadable, visibleDraft, visibleValues } from './administrator-history.js';

/** A published entry and the draft beside it, in the form of versions. */
interface DraftBeside {
  readonly savedAt: Date;
  readonly entry: Values;
  readonly draft: Values;
}

/**
 * Returns an entry and the draft beside it, with the values that the caller may see; null if there is no draft, or one that
 * the caller may not see. Lists of links that are too long for a version on one side are left out of both. Throws a NotFoundError if there is no such entry, and a ForbiddenError if the
 * caller may not read it.
 */
export async function showDraft(key: EntryKey, { administrator, content, running }: AdminCall): Promise<DraftBeside | null> {
  const { type, id } = key;
  if (administrator !== null) await checkReadable(key, administrator);
  const { database } = content.store;
  const stored = await findFirst(database, type.collection, { _id: id });
  if (stored === null) throw notFoundError();
  const draft = storedDraft.of(stored);
  if (draft === null) return null;
  const reading = { content: contextOfCode(running), database };
  const links = Object.entries(storedDraft.links(draft)).map(
    ([name, ids]) => [name, linkValue(type.attributes.get(name), ids)] as const,
  );
  const entry = await readWholeEntry(type, stored, reading);
  const beside = await readWholeEntry(type, storedDraft.inPlace(stored), { ...reading, links: Object.fromEntries(links) });
  const savedAt = new Date(draft['updatedAt'] as Date); // every draft has one
  const both = { savedAt, entry: sharedValues(entry, beside), draft: sharedValues(beside, entry) };
  if (administrator === null) return both;
  const shown = await visibleDraft(both.draft, key, administrator);
  return shown && { savedAt, entry: await visibleValues(both.entry, key, administrator), draft: shown };
}

/** Returns the values that another version has too, under the same names. */
const sharedValues = (values: Values, other: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(other, name)));

/** Returns links as `readWhole` does. */
function linkValue(link: Attribute | undefined, ids: readonly number[]): readonly Values[] | Values | null {
  const all = ids.map((id) => ({ id }));
  return link !== undefined && 'many' in link && !link.many ? (all[0] ?? null) : all;
}
