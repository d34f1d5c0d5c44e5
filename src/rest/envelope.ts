import type { FoundPage } from '../content/find-many.js';
import { shapeValues, type Presentation, type Shaped } from '../content/shape-values.js';
import type { Loaded } from '../mongo/loaded.js';
import type { BoundPagination } from '../query/plan.js';

/** The JSON of an answer. */
export type Json = Shaped;

/** `{ data: [entry, ...], meta: { pagination } }`. */
export const envelopePage = ({ entries, pagination, total }: FoundPage): Json => ({
  data: entries.map(topEntry),
  meta: { pagination: showPagination(pagination, total) },
});

/** `{ data: entry, meta: {} }`. */
export const envelopeEntry = (entry: Loaded): Json => ({ data: topEntry(entry), meta: {} });

/** `{ data: [entry, ...], meta: {} }`, for a single type asked for in all locales. */
export const envelopeEntries = (entries: readonly Loaded[]): Json => ({ data: entries.map(topEntry), meta: {} });

/** An entry without envelope, as users, files and new localizations are answered: `{ id, title, ... }`. */
export const flatEntry = (entry: Loaded): Json => shapeValues({ id: entry.document['_id'] }, entry, flat);

function showPagination(pagination: BoundPagination, total: number | null): Json {
  if (pagination.kind === 'offset') {
    const { start, limit } = pagination;
    return total === null ? { start, limit } : { start, limit, total };
  }
  const { page, pageSize } = pagination;
  return total === null ? { page, pageSize } : { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
}

/** An entry at the top of an answer: `{ id, attributes, meta }`. */
const topEntry = (entry: Loaded): Json => ({ ...wrapEntry(entry), meta: showMeta(entry) });

function showMeta({ selection, children }: Loaded): Json {
  if (selection.locales === null) return {};
  const others = children[selection.children.length]; // behind the others
  return { availableLocales: Array.isArray(others) ? others.map(({ document }: Loaded) => document['locale']) : [] };
}

/** An entry within `data`: `{ id, attributes }`. */
const wrapEntry = (entry: Loaded): Json => ({
  id: entry.document['_id'],
  attributes: shapeValues({}, entry, enveloped),
});

/** A polymorphic relation to many without targets is left out, and so is one to one. */
const targets: Presentation['targets'] = (shown, { many }) => (many ? (shown.length > 0 ? shown : undefined) : shown[0]);

/** Media lists without files are null. */
const listOrNull: Presentation['many'] = (entries, { kind }) => (kind === 'media' && entries.length === 0 ? null : entries);

const enveloped: Presentation = {
  entry: wrapEntry,
  one: (entry) => ({ data: entry }),
  many: (entries, link) => ({ data: listOrNull(entries, link) }),
  count: (count) => ({ data: { attributes: { count } } }),
  targets,
};

const flat: Presentation = { entry: flatEntry, one: (entry) => entry, many: listOrNull, count: (count) => ({ count }), targets };
