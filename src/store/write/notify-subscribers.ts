import { isDeepStrictEqual } from 'node:util';
import { runAfterWrite } from '#base/after-write.js';
import { unlimited } from '#base/limits/budget.js';
import type { Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import {
  actionOf,
  type Author,
  type EntryEvent,
  type EntryFact,
  type EntryWritten,
  type Subscription,
} from '../changes/entry-events.js';
import { is, type Match, matchesAny } from '../form/matches.js';
import type { Store } from '../store.js';
import type { ContentType } from '#model/schema/content-type.js';
import { afterCommit, inTransaction } from '../send/transaction.js';

/** What was written: an entry, or more entries than are told one by one. */
type Fact = EntryFact | { readonly kind: 'any' };

/**
 * Runs a write of one entry with the subscribers that hear of it; with null if there are none. It runs in a transaction if they
 * write too or need more than it returns.
 */
export function withSubscribers<Result>(
  store: Store,
  [collection, kind]: readonly [collection: string, kind: EntryWritten['kind']],
  write: (store: Store, hearing: Subscription | null) => Promise<Result>,
): Promise<Result> {
  const hearing = store.changes.subscription(collection, kind);
  const needsMore = hearing?.subscribers.some((one) => one.within !== undefined || one.needsBefore === true) ?? false;
  if (!needsMore) return write(store, hearing);
  return inTransaction(store.database, (database) => write({ ...store, database }, hearing));
}

/** Tells subscribers what was written: now if they write too, and after the commit. */
export async function notify(
  { database, changes }: Store,
  { type, subscribers }: Subscription,
  facts: readonly Fact[],
): Promise<void> {
  const { caller = null, requestId = null, agent = null } = database.sender ?? {};
  const by: Author = caller?.kind === 'schedule' ? 'schedule' : caller;
  const about = { type, by, requestId, agent, at: new Date() };
  const events = facts.map((fact): EntryEvent =>
    fact.kind === 'any'
      ? { ...fact, ...about }
      : { action: actionOf(fact, type), ...fact, ...keysOf(fact.document, type), ...about },
  );
  await runAfterWrite(async () => {
    for (const event of events)
      for (const one of subscribers) if (one.subscribesTo(event.kind, type)) await one.within?.(event, database);
  });
  await afterCommit(database, () => changes.deliver(subscribers, events));
}

const keysOf = ({ _id, locale }: Document, { localized }: ContentType) => ({
  id: Number(_id),
  locale: localized && typeof locale === 'string' ? locale : null,
});

/** Returns whether an update changes attributes. Other fields of entries begin with an underscore. */
export const changesAttributes = (update: Document): boolean =>
  Object.values(update).some((values) => Object.keys(values as object).some((path) => !path.startsWith('_')));

/** Maximum number of entries that are told one by one after one write of several. */
const maxNotified = 10_000;

/** Runs several writes in a transaction, and tells what they have changed: reads the entries that they match before and after them. */
export const notifyCompared = <Result>(
  entered: Store,
  hearing: Subscription,
  operations: readonly Document[],
  write: (store: Store) => Promise<Result>,
): Promise<Result> =>
  inTransaction(entered.database, async (database) => {
    const store = { ...entered, database };
    const read = (filter: Match): Promise<readonly Document[]> =>
      readAll({ ...database, budget: unlimited }, { find: hearing.type.collection, filter, limit: maxNotified + 1 });
    const matches = valuesOf('filter', operations);
    const before = matches.length === 0 ? [] : await read(matchesAny(...matches));
    const result = await write(store);
    const isMany = before.length > maxNotified;
    const after = isMany || before.length === 0 ? [] : await read({ _id: is.oneOf(before.map(({ _id }): unknown => _id)) });
    const created = valuesOf('document', operations).map((document) => ({ kind: 'create', document }) as const);
    await notify(store, hearing, isMany ? [{ kind: 'any' }] : [...created, ...differences(before, after)]);
    return result;
  });

/** Returns a value of each operation that has it, such as the filter of an update. */
const valuesOf = (name: 'filter' | 'document', operations: readonly Document[]): Document[] =>
  operations.flatMap((operation) =>
    Object.values(operation).flatMap((values: Document) => (values[name] as Document | undefined) ?? []),
  );

function differences(before: readonly Document[], after: readonly Document[]): Fact[] {
  const remaining = new Map(after.map((document) => [document['_id'] as unknown, document]));
  const inOrder = [...before].sort((a, b) => Number(a['_id']) - Number(b['_id']));
  return inOrder.flatMap((former): Fact[] => {
    const document = remaining.get(former['_id']);
    if (document === undefined) return [{ kind: 'delete', document: former }];
    return isDeepStrictEqual(attributesIn(document), attributesIn(former)) ? [] : [{ kind: 'update', document, before: former }];
  });
}

const attributesIn = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith('_')));
