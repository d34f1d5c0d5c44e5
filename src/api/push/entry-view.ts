import { memoizePair } from '#base/caches.js';
import type { Values } from '#base/values.js';
import { withoutHooks, type ContentContext } from '#content/content-context.js';
import { findOne } from '#content/find-one.js';
import type { Access } from '#model/query/access.js';
import { emptyQuery, type Filter, type PopulateField, type PublicationState, type Query } from '#model/query/ast.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import { copiedFields, fieldFor, isOwn } from '../sync/copy-query.js';
import { copiesOf } from '../sync/step.js';
import type { Demand } from './compare.js';

/** An entry as its caller may see it. */
export interface EntryView {
  readonly id: number;
  readonly version: string | null;
  readonly attributes: Values;
}

const queriesOf = memoizePair<Registry, Access, Map<string, Query>>(() => new Map());

/** Returns the query that reads an entry as copies have it; the same object for the same rights and models. */
export function viewQuery(type: ContentType, { registry, access }: ContentContext['bind']): Query {
  const queries = queriesOf(registry, access);
  const query = queries.get(type.uid) ?? populating(copiedFields(type, { registry, access }));
  queries.set(type.uid, query);
  return query;
}

const populating = (fields: Query['populate']['fields']): Query => ({ ...emptyQuery, populate: { all: false, fields } });

/** Returns what is shown of an entry. */
export function viewOf(entry: LoadedEntry, { bind }: ContentContext): EntryView {
  const [{ id, attributes } = { id: 0, attributes: {} }] = copiesOf([entry], bind.budget);
  return { id, version: versionOf(entry), attributes };
}

/** Reads an entry as copies have it; null if there is none, or the caller may not see it. */
export const readView = async (type: ContentType, id: number, content: ContentContext): Promise<EntryView | null> => {
  const entry = await findOne(type, id, viewQuery(type, content.bind), withoutHooks(content));
  return entry === null ? null : viewOf(entry, content);
};

/** Returns a populated list with some related entries alone, because it may be long. */
function fieldAmong(field: PopulateField, ids: readonly unknown[]): PopulateField {
  const filter: Filter = { kind: 'field', name: 'id', filter: { kind: 'comparison', operator: 'in', value: ids } };
  return { ...field, query: { ...field.query, filter } };
}

/** What is read of an entry before it is written: its scalars, and the other values that the write compares. */
export interface Current {
  readonly storedValues: LoadedEntry['document'];
  readonly shownValues: Values;
}

/**
 * Reads an entry before it is written; null if there is none, or the caller may not see it. `state` says whether related entries that
 * are drafts are shown. Links that the entry stores do not count, because the answer reads the same entries again: a list of them that is
 * longer than half of the budget could otherwise be shown and never be changed.
 */
export async function readCurrent(
  { type, id, demands }: { readonly type: ContentType; readonly id: number; readonly demands: readonly Demand[] },
  state: PublicationState,
  content: ContentContext,
): Promise<Current | null> {
  const { registry, access } = content.bind;
  const fieldsFor = ({ attribute, among }: Demand) => {
    const field = fieldFor(attribute, { registry, access, state });
    if (field === null) return [];
    return [among === undefined ? field : fieldAmong(field, among)];
  };
  const query = populating(demands.flatMap(fieldsFor));
  const { budget } = content.bind;
  const spent = budget.spent('entriesRead');
  const entry = await findOne(type, id, query, withoutHooks(content));
  if (demands.every(({ attribute }) => isOwn(attribute))) budget.takeBack('entriesRead', budget.spent('entriesRead') - spent);
  return entry === null ? null : { storedValues: entry.document, shownValues: viewOf(entry, content).attributes };
}
