import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { stampNewEntry } from './build-document.js';
import { acceptNewEntry, acceptWrite } from './accept-write.js';
import { checkBody } from './check-body.js';
import { createForCode } from './data-for-code.js';
import { withDatabase, type ContentContext, type WrittenMany } from './content-context.js';
import { createRules, insertWithLinks, isLinked, prepareEntry, type PreparedEntry } from './create.js';
import { orUniqueError, runWrite } from './run-write.js';

/**
 * Creates entries, all or none, and returns their number and their ids in the order of the data. Entries that store their own links are
 * inserted by one command. Throws a ValidationError.
 */
export async function createMany(type: ContentType, entries: readonly unknown[], context: ContentContext): Promise<WrittenMany> {
  const accepted = entries.map((one) => stampNewEntry(type, acceptNewEntry(type, one, context), context));
  const rowForCode = (data: Values, index: number): Values =>
    createForCode(type, { data, input: entries[index], source: null }, context).data;
  return runWrite({ action: 'createMany', type, data: accepted, selection: null }, context, {
    run: async (changed, inside) => {
      const isChanged = Array.isArray(changed) && changed !== accepted;
      const ids = await insertMany(type, isChanged ? changed.map((one) => acceptWrite(type, one, inside)) : accepted, inside);
      return { count: ids.length, ids };
    },
    forCode: () => ({ data: accepted.map(rowForCode), own: (changed) => changed }),
    written: (result) => result,
  });
}

async function insertMany(type: ContentType, accepted: readonly Values[], context: ContentContext): Promise<readonly number[]> {
  for (const values of accepted) await checkBody(type, values, createRules(type, values, null, context), context);
  const { store } = context;
  const ids = await store.ids.next(type.collection, accepted.length, { ...store.database, session: null });
  const entries: PreparedEntry[] = [];
  for (const [index, values] of accepted.entries())
    entries.push(await prepareEntry(type, values, { given: ids[index] ?? 0, source: null }, context));
  await orUniqueError({ type, data: {}, id: null, ofSeveral: true }, context, () =>
    inTransaction(store.database, (database) => insertAll(type, entries, withDatabase(context, database))),
  );
  return ids;
}

async function insertAll(type: ContentType, entries: readonly PreparedEntry[], context: ContentContext): Promise<void> {
  const operations = entries.filter((entry) => !isLinked(entry)).map(({ document }) => ({ insertOne: { document } }));
  await bulkWrite(context.store, type.collection, operations);
  for (const entry of entries.filter(isLinked)) await insertWithLinks(type, entry, context);
}
