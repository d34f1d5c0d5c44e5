import type { ContentContext } from '#content/content-context.js';
import { noCursors } from '#content/cursors.js';
import type { Facets } from '#content/facets.js';
import type { FoundPage } from '#content/find-many.js';
import { createShaper, type Presentation, type Shaped, showStoredValues } from '#content/shape-values.js';
import { distancePath } from '#model/query/plan.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { listOrNull } from '../code/rows.js';

/** The JSON body of an answer. */
export type Json = Shaped;

/** Returns `{ data: [entry, ...], meta: { pagination } }`. */
export const envelopePage = (page: FoundPage, content: ContentContext): Json => ({
  data: showEntries(page.entries, content),
  meta: { pagination: showPagination(page), ...(page.isSearchTruncated === true && { searchTruncated: true }) },
});

/** Returns a page with `meta.facets`, and the names of those that have more values. */
export const withFacets = ({ meta, ...page }: Json, { facets, truncated }: Facets): Json => ({
  ...page,
  meta: { ...(meta as object), facets, ...(truncated.length > 0 && { facetsTruncated: truncated }) },
});

/**
 * Returns `{ data: entry, meta: {} }`. An entry that was written is shown without populated relations if they exceed the budget.
 */
export const envelopeEntry = (entry: LoadedEntry, content: ContentContext): Json =>
  showStoredValues(entry, content, (shown, context) => ({ data: showEntries([shown], context)[0], meta: {} }));

/** Returns `{ data: [entry, ...], meta: {} }`, for all localizations of a single type. */
export const envelopeEntries = (entries: readonly LoadedEntry[], content: ContentContext): Json => ({
  data: showEntries(entries, content),
  meta: {},
});

/** Returns entries without envelope, the form of users and files: `{ id, title, ... }`. */
export const flatEntries = (entries: readonly LoadedEntry[], { bind }: ContentContext): Json[] =>
  entries.map(createShaper(flat, bind.budget));

/** Returns one entry without envelope. If it was written, it is shown without populated relations if they exceed the budget. */
export const flatEntry = (entry: LoadedEntry, content: ContentContext): Json =>
  showStoredValues(entry, content, (shown, { bind }) => createShaper(flat, bind.budget)(shown));

/** Returns `meta.pagination`. Total and page count are included only if the total was counted. */
export function showPagination({ pagination, total, cursors = noCursors }: FoundPage): Json {
  switch (pagination.kind) {
    case 'offset': {
      const { start, limit } = pagination;
      return total === null ? { start, limit } : { start, limit, total };
    }
    case 'page': {
      const { page, pageSize } = pagination;
      return total === null ? { page, pageSize } : { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
    }
    case 'cursor': {
      const { start, end, hasNext, hasPrevious } = cursors;
      return { limit: pagination.limit, ...(total !== null && { total }), cursors: { start, end }, hasNext, hasPrevious };
    }
  }
}

/** Returns the top-level entries of an answer: `{ id, attributes, meta }`. */
function showEntries(entries: readonly LoadedEntry[], { bind }: ContentContext): Json[] {
  const shape = createShaper(enveloped, bind.budget);
  return entries.map((entry) => {
    const { id, attributes } = shape(entry);
    return { id, attributes, meta: showMeta(entry) };
  });
}

/** Returns the distance of an entry of a list that is near to a place; nothing for others. */
const distanceOf = ({ document }: LoadedEntry): Json => {
  const distance = document[distancePath];
  return distance === undefined ? {} : { distance };
};

function showMeta(entry: LoadedEntry): Json {
  const { selection, children } = entry;
  const near = distanceOf(entry);
  if (selection.locales === null) return near;
  const others = children[selection.children.length]; // they follow the children of the selection
  return {
    ...near,
    availableLocales: Array.isArray(others) ? others.map(({ document }: LoadedEntry) => document['locale']) : [],
  };
}

/** Omits a polymorphic relation to many if it has no targets. */
const targets: Presentation<Json>['targets'] = (items, { many }) =>
  many ? (items.length > 0 ? items : undefined) : (items[0] ?? null);

/** Returns the id of a flat entry, with its distance if there is one. An attribute of the name `meta` comes in its place. */
function startFlat(entry: LoadedEntry): Json {
  const id = entry.document['_id'];
  const meta = distanceOf(entry);
  return 'distance' in meta ? { id, meta } : { id };
}

const flat: Presentation<Json> = {
  start: startFlat,
  entry: (_entry, values) => values,
  one: (entry) => entry,
  many: listOrNull,
  count: (count) => ({ count }),
  targets,
  isAnswer: true,
};

const enveloped: Presentation<Json> = {
  start: () => ({}),
  entry: ({ document }, attributes) => ({ id: document['_id'], attributes }),
  one: (entry) => ({ data: entry }),
  many: (entries, link) => ({ data: listOrNull(entries, link) }),
  count: (count) => ({ data: { attributes: { count } } }),
  targets,
  inTargets: flat,
  isAnswer: true,
};
