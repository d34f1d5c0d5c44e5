import type { ContentContext } from '../../content/content-context.js';
import { createShaper, type Presentation, type Shaped } from '../../content/shape-values.js';
import type { Loaded } from '../../mongo/form/loaded.js';
import { emptyQuery, fieldOf, type Query } from '../../query/ast.js';

/** Files and folders are flat objects. */
const flat: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_, values) => values,
  one: (entry) => entry,
  many: (entries) => entries,
  count: (count) => ({ count }),
  targets: () => undefined,
  isAnswer: true,
};

/** Returns files or folders as the panel shows them. */
export const showAll = (entries: readonly Loaded[], { bind }: ContentContext): Shaped[] =>
  entries.map(createShaper(flat, bind.budget));

/** Returns a file or folder as the panel shows it. */
export const showOne = (entry: Loaded, { bind }: ContentContext): Shaped => createShaper(flat, bind.budget)(entry);

const creator: Query = { ...emptyQuery, fields: ['firstname', 'lastname', 'username'] };

/** Reads a file of a list, with its folder. */
export const listed: Query = { ...emptyQuery, populate: { all: false, fields: [fieldOf('folder')] } };

/** Reads a single file, with its folder and its creator. */
export const whole: Query = {
  ...emptyQuery,
  populate: { all: false, fields: [fieldOf('createdBy', creator), fieldOf('folder')] },
};
