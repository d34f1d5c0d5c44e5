import type { Presentation, Shaped } from '../../content/shape-values.js';

/** Entries are flat objects. An empty list of files is null, as in Strapi v4. */
export const flat: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_, values) => values,
  one: (entry) => entry,
  many: (entries, link) => (link.kind === 'media' && entries.length === 0 ? null : entries),
  count: (count) => ({ count }),
  targets: (targets) => targets,
  isAnswer: true,
};
