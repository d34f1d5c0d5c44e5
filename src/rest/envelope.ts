import type { LoadedEntries, LoadedEntry, LoadedPage, StoredDocument } from '../content/loaded.js';
import { morphDocuments, relatedCount, relatedDocuments, type RelatedTables } from '../mongo/related-tables.js';
import type { Child, LinkChild, MorphChild, Selection } from '../query/plan.js';
import { scalarTypes } from '../schema/scalar-types.js';

/** The JSON of an answer. */
export type Json = Record<string, unknown>;

/** `{ data: [entry, ...], meta: { pagination } }` (rest.md 2.3, 4.4). */
export function envelopePage(page: LoadedPage): Json {
  return {
    data: page.documents.map((document) => entryOf(document, page.selection, page.tables)),
    meta: { pagination: paginationOf(page) },
  };
}

/** `{ data: entry, meta: {} }`. */
export const envelopeEntry = ({ document, selection, tables }: LoadedEntry): Json => ({
  data: entryOf(document, selection, tables),
  meta: {},
});

/** `{ data: [entry, ...], meta: {} }`, for a single type asked for in all locales. */
export const envelopeEntries = ({ documents, selection, tables }: LoadedEntries): Json => ({
  data: documents.map((document) => entryOf(document, selection, tables)),
  meta: {},
});

/** An entry without envelope, as users, files and new localizations are answered: `{ id, title, ... }`. */
export function flatEntry({ document, selection, tables }: LoadedEntry): Json {
  return { id: document['_id'], ...valuesOf(document, selection, tables, flatLink) };
}

function paginationOf({ pagination, total }: LoadedPage): Json {
  if (pagination.kind === 'offset') {
    const { start, limit } = pagination;
    return total === null ? { start, limit } : { start, limit, total };
  }
  const { page, pageSize } = pagination;
  return total === null ? { page, pageSize } : { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
}

/** A top-level entry: `{ id, attributes, meta }`. */
function entryOf(document: StoredDocument, selection: Selection, tables: RelatedTables): Json {
  return { ...relatedEntry(document, selection, tables), meta: metaOf(document, selection, tables) };
}

function metaOf(document: StoredDocument, { locales }: Selection, tables: RelatedTables): Json {
  if (locales === null) return {};
  return { availableLocales: relatedDocuments(tables, locales, document).map(({ locale }) => locale as unknown) };
}

/** A related entry: `{ id, attributes }`. */
const relatedEntry = (document: StoredDocument, selection: Selection, tables: RelatedTables): Json => ({
  id: document['_id'],
  attributes: valuesOf(document, selection, tables, wrappedLink),
});

/** How related entries are shown. */
type ShowLink = (child: LinkChild, document: StoredDocument, tables: RelatedTables) => unknown;

function valuesOf(document: StoredDocument, { fields, children }: Selection, tables: RelatedTables, showLink: ShowLink): Json {
  const values: Json = {};
  for (const { name, type } of fields) {
    const value = document[name];
    values[name] = value === null || value === undefined ? null : scalarTypes[type].output(value);
  }
  for (const child of children) showChild(values, child, document, { tables, showLink });
  return values;
}

interface Showing {
  readonly tables: RelatedTables;
  readonly showLink: ShowLink;
}

function showChild(values: Json, child: Child, document: StoredDocument, { tables, showLink }: Showing): void {
  switch (child.kind) {
    case 'link':
      values[child.key] = showLink(child, document, tables);
      return;
    case 'morph': {
      const shown = morphOf(child, document, { tables, showLink });
      if (shown !== undefined) values[child.key] = shown;
      return;
    }
    case 'component': {
      const value = document[child.attribute.name] ?? (child.attribute.repeatable ? [] : null);
      const show = (part: StoredDocument) => ({ id: part['id'], ...valuesOf(part, child.selection, tables, showLink) });
      values[child.key] = Array.isArray(value) ? value.map(show) : value === null ? null : show(value as StoredDocument); // stored as a document
      return;
    }
    case 'zone': {
      const parts = (document[child.attribute.name] ?? []) as readonly StoredDocument[]; // stored as documents
      values[child.key] = parts.flatMap((part) => {
        const selection = child.selections.get(String(part['__component']));
        if (selection === undefined) return [];
        return [{ id: part['id'], __component: part['__component'], ...valuesOf(part, selection, tables, showLink) }];
      });
    }
  }
}

/** `{ data: entry }`, `{ data: [entry] }`; media lists without files are null, as in the reference. */
function wrappedLink(child: LinkChild, document: StoredDocument, tables: RelatedTables): Json {
  if (child.countOnly) return { data: { attributes: { count: relatedCount(tables, child, document) } } };
  const entries = relatedDocuments(tables, child, document).map((related) => relatedEntry(related, child.selection, tables));
  if (!child.link.many) return { data: entries[0] ?? null };
  return { data: child.link.kind === 'media' && entries.length === 0 ? null : entries };
}

function flatLink(child: LinkChild, document: StoredDocument, tables: RelatedTables): unknown {
  if (child.countOnly) return { count: relatedCount(tables, child, document) };
  const entries = relatedDocuments(tables, child, document).map((related) =>
    flatEntry({ document: related, selection: child.selection, tables }),
  );
  if (!child.link.many) return entries[0] ?? null;
  return child.link.kind === 'media' && entries.length === 0 ? null : entries;
}

/** Targets of a polymorphic relation are shown bare, with their type; the key is absent where nothing is left. */
function morphOf(child: MorphChild, document: StoredDocument, { tables, showLink }: Showing): unknown {
  const shown = morphDocuments(tables, child, document).flatMap(({ uid, document: target }) => {
    const selection = child.selections.get(uid);
    return selection === undefined ? [] : [{ __type: uid, id: target['_id'], ...valuesOf(target, selection, tables, showLink) }];
  });
  return child.attribute.many ? (shown.length > 0 ? shown : undefined) : shown[0];
}
