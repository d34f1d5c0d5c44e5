import type { ContentContext } from '#content/content-context.js';
import { createShaper, type Presentation, type Shaped } from '#content/shape-values.js';
import type { LoadedEntry } from '#store/form/loaded.js';

/** Entries are flat objects. An empty list of files is null, as in Strapi v4. */
const flat: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_, values) => values,
  one: (entry) => entry,
  many: (entries, link) => (link.kind === 'media' && entries.length === 0 ? null : entries),
  count: (count) => ({ count }),
  targets: (targets) => targets,
  isAnswer: true,
};

/** Returns entries, files or folders as the panel shows them. */
export const showAll = (entries: readonly LoadedEntry[], { bind }: ContentContext): Shaped[] =>
  entries.map(createShaper(flat, bind.budget));

/** Returns an entry, file or folder as the panel shows it. */
export const showOne = (entry: LoadedEntry, { bind }: ContentContext): Shaped => createShaper(flat, bind.budget)(entry);
