import type { ContentContext } from '#content/content-context.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import type { Values } from '#base/values.js';
import { flatEntries, flatEntry } from '../rest/envelope.js';

/** Returns an entry as agents see it: flat, with its version, which a write of it must name. */
const withVersion = (values: Values, entry: LoadedEntry): Values => {
  const { id, ...others } = values;
  return { id, _version: versionOf(entry), ...others };
};

/** Returns the entries of a list. */
export const showEntries = (entries: readonly LoadedEntry[], content: ContentContext): readonly Values[] =>
  flatEntries(entries, content).map((values, index) => {
    const entry = entries[index];
    return entry === undefined ? values : withVersion(values, entry);
  });

/** Returns one entry. */
export const showEntry = (entry: LoadedEntry, content: ContentContext): Values => withVersion(flatEntry(entry, content), entry);
