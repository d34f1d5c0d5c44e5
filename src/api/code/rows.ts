import { memoize } from '#base/caches.js';
import { createShaper, type Presentation } from '#content/shape-values.js';
import { unlimited } from '#base/limits/budget.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import type { ContentType, LinkAttribute } from '#model/schema/content-type.js';

/** An entry or component for resolvers: its id, its loaded attributes, and populated values by key. */
export type Row = Readonly<Record<string, unknown>>;

/** How entries are converted to rows. Each place of the answer has separate rows, because extensions may change them. */
export const rows: Presentation<Row> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_entry, values) => values,
  one: (row) => row,
  many: (list) => list,
  count: (count) => ({ count }),
  targets: (list, { many }) => (many ? list : (list[0] ?? null)),
  isAnswer: false,
};

/** Returns null for an empty list of files, and for an empty list of the owning side of a polymorphic relation, as Strapi v4 does. */
export const listOrNull = <Shown>(entries: readonly Shown[], { kind, storage }: LinkAttribute): readonly Shown[] | null =>
  entries.length === 0 && (kind === 'media' || storage.kind === 'morph') ? null : entries;

/** Converts a loaded entry to an entity of project code, without a budget. */
export const shapeEntity = (entry: LoadedEntry): Row => createShaper(entities, unlimited)(entry);

const entities: Presentation<Row> = { ...rows, many: listOrNull };

/** Converts a loaded entry to a row for an extension, without a budget. */
export const shapeForCode = (entry: LoadedEntry): Row => createShaper(rows, unlimited)(entry);

/** Returns the scalar attributes of a type, which code sees all. */
export const scalarsOf = memoize(({ attributes }: ContentType) =>
  [...attributes.values()].filter((attribute) => attribute.kind === 'scalar'),
);

/** Related entries and components that an extension has read itself. */
const loadedByExtension = new WeakSet<object>();

/** Marks a value that no plan of an operation has read, so that its fields are read on demand. */
export function markLoadedByExtension(value: unknown): void {
  if (typeof value === 'object' && value !== null) loadedByExtension.add(value);
}

export const isLoadedByExtension = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && loadedByExtension.has(value);
