import type { Context } from 'koa';
import type { ContentContext } from '#content/content-context.js';
import { cacheTagOf } from '#model/schema/cache-tags.js';
import { collections } from '#model/schema/collections.js';
import type { Config } from '#settings/config.js';
import { byCollection } from '#store/changes/changes.js';
import type { LoadedEntry } from '#store/form/loaded.js';

/** Maximum number of characters of the header. Beyond it, the tags of entries are left out. */
const longest = 8_192;

/** Returns whether the answer to a request gets tags, because shared caches may keep it. */
export const mayBeShared = ({ method, req }: Context, { api }: Pick<Config, 'api'>): boolean =>
  api.rest.cacheTags && (method === 'GET' || method === 'HEAD') && req.headers.authorization === undefined;

/**
 * Returns the headers by which shared caches remove an answer: the tags of all types that were read for it, and of all entries in it. An
 * answer whose types alone are too many must not be kept by any. Nor must one that shows drafts beside published entries, or
 * administrators, since caches are not told of their changes; nor one whose entries were found outside of the database, which learns of a
 * change after the caches were told of it. If code may have removed entries, those are not named. Returns no headers if none are asked for.
 */
export function cacheTags({ store: { database }, bind: { registry } }: ContentContext): Readonly<Record<string, string>> {
  const { reads } = database;
  if (reads?.entries == null || reads.collections.length === 0) return {};
  if (reads.isUnpurged || reads.collections.includes(collections.administrators)) return { 'Cache-Control': 'no-store' };
  const types = byCollection(registry.types);
  const tags = new Set<string>();
  for (const collection of reads.collections) {
    const type = types.get(collection);
    if (type !== undefined) tags.add(cacheTagOf(type));
  }
  const names = [...tags].join(separator);
  if (names.length > longest) return { 'Cache-Control': 'no-store' };
  if (reads.dependsOnMore) return { 'Cache-Tag': names };
  const length = addEntries(reads.entries, { tags, walked: new Set() }, names.length);
  return { 'Cache-Tag': length > longest ? names : [...tags].join(separator) };
}

const separator = ', ';

interface Walk {
  readonly tags: Set<string>;
  /** Entries that were seen before. */
  readonly walked: Set<LoadedEntry>;
}

/** Adds the tags of entries, and of those that they populate. Returns the length of all tags, and stops when it is too large. */
function addEntries(entries: readonly LoadedEntry[], walk: Walk, begun: number): number {
  let length = begun;
  for (const entry of entries) {
    if (length > longest) return length;
    if (walk.walked.has(entry)) continue;
    walk.walked.add(entry);
    const { document, selection, children } = entry;
    const tag = document['_id'] === undefined ? null : cacheTagOf(selection.type, document['_id']); // null: a component
    if (tag !== null && !walk.tags.has(tag)) {
      walk.tags.add(tag);
      length += separator.length + tag.length;
    }
    for (const related of children) if (typeof related !== 'number') length = addEntries(related, walk, length);
  }
  return length;
}
