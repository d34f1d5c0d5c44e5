import { applicationError, hasCode } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { groupOf, inGroup } from '../mongo/layout.js';
import type { Loaded, StoredDocument } from '../mongo/loaded.js';
import { inTransaction } from '../mongo/transaction.js';
import { type EntryDocument, insertEntry } from '../mongo/write/write-entries.js';
import type { Query } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import type { Selection } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { buildDocument, buildWrite, type EntryWrite, type LocaleSource } from './build-write.js';
import { acceptInput, acceptNew, checkBody } from './check-body.js';
import { type ContentContext, withDatabase } from './content-context.js';
import { generateUids, lastAttempt } from './generate-uids.js';
import { findGroupToJoin, overwritesGroup, requiredShared, withoutShared } from './localization-group.js';
import { createMayBreakRule, refuseBroken } from './rules-on-writes.js';
import { copyValues, refuseHiddenLocales, sharedNames, syncLocales, touchLocales } from './sync-locales.js';
import { orUniqueError, readWritten, runWrite } from './run-write.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/**
 * Creates an entry from a client's data and returns it as the query selects it. Throws a ValidationError, an ApplicationError for
 * a locale that does not exist, or a ForbiddenError if the entry breaks the caller's rule.
 */
export async function create(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<Loaded> {
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = acceptNew(type, data, context);
  const joined = type.localized ? await groupToJoin(type, accepted, context) : null;
  if (joined !== null) return joinGroup(type, accepted, joined, { query, selection, context });
  await checkBody(type, accepted, createRules(accepted, context), context);
  return runCreate(type, accepted, { selection, source: null }, context);
}

/**
 * Returns the rules for the body of a new entry. Only an explicit `publishedAt: null` makes it a draft. `group` is the
 * localization group that it joins.
 */
export const createRules = (data: Values, { checksAsDrafts }: ContentContext, group: number | null = null) =>
  ({ mode: 'create', draft: data['publishedAt'] === null || checksAsDrafts === true, id: null, group }) as const;

interface Joining {
  readonly query: Query;
  readonly selection: Selection;
  readonly context: ContentContext;
}

/**
 * Creates an entry in an existing localization group. The shared values of the group are copied to the entry, or those of the entry
 * to the group if the query shows the localizations.
 */
async function joinGroup(
  type: ContentType,
  data: Values,
  joined: StoredDocument,
  { query, selection, context }: Joining,
): Promise<Loaded> {
  const group = groupOf(joined);
  if (overwritesGroup(type, query, context.bind)) {
    await checkBody(type, data, createRules(data, context, group), context);
    const values = Object.fromEntries(sharedOf(type).map((name) => [name, data[name] ?? null]));
    await refuseHiddenLocales({ type, source: joined, values }, context);
    return insertInGroup(type, data, { selection, group, givenBy: null }, context);
  }
  const own = withoutShared(type, data);
  await checkBody(type, { ...requiredShared(type, joined), ...own }, createRules(data, context, group), context);
  return insertInGroup(type, own, { selection, group, givenBy: joined }, context);
}

const sharedOf = (type: ContentType): string[] => sharedNames(type, [...type.attributes.keys()]);

interface GroupInsertion {
  readonly selection: Selection;
  readonly group: number;
  /** The entry of the group from which the shared values are copied; null if those of the new entry are copied to the group. */
  readonly givenBy: StoredDocument | null;
}

/**
 * Stores a new entry, and copies the shared values from its group or to it. The values are read inside the transaction. The write
 * marks the group as changed, so that a concurrent change of the values conflicts with it and the transaction runs again. The answer
 * shows the other locales as they were before.
 */
const insertInGroup = (
  type: ContentType,
  data: Values,
  { selection, group, givenBy }: GroupInsertion,
  context: ContentContext,
): Promise<Loaded> =>
  orUniqueError({ type, data, id: null, group }, context, () =>
    inTransaction(context.store.database, async (database) => {
      const inside = withDatabase(context, database);
      const shared = sharedOf(type);
      const values = givenBy === null ? {} : await copyValues(type, await readAgain(type, givenBy, inside), shared, inside);
      const created = await runCreate(type, data, { selection, source: { group, values } }, inside);
      const id = Number(created.document['_id']);
      if (givenBy === null && shared.length > 0) await syncLocales(type, id, shared, inside);
      else await touchLocales(type, { _id: id, ...inGroup(group) }, inside);
      return created;
    }),
  );

/** Reads a stored entry again. Returns the given document if the entry has been deleted. */
async function readAgain({ collection }: ContentType, entry: StoredDocument, { store }: ContentContext): Promise<StoredDocument> {
  const [now] = await readAll(store.database, { find: collection, filter: { _id: entry['_id'] }, limit: 1 });
  return now ?? entry;
}

/** Returns the stored entry whose group a new one joins; null if its data names none. */
async function groupToJoin(type: ContentType, data: Values, context: ContentContext): Promise<StoredDocument | null> {
  const { locale = null, localizations = null } = data;
  if (locale !== null && !(typeof locale === 'string' && context.bind.locales.includes(locale)))
    throw applicationError("This locale doesn't exist");
  return localizations === null ? null : findGroupToJoin(type, localizations, context);
}

interface Insertion {
  /** The selection that is read for the answer. */
  readonly selection: Selection;
  readonly source: LocaleSource | null;
}

/**
 * Stores checked data as a new entry atomically, and returns what the selection reads of it. Data that code around the write has
 * changed is checked again. Tries again with another id if an import has taken the first one, and with other uids if other
 * creates have taken the generated ones. Inside a transaction it does not try again, because the error has ended the transaction.
 */
export async function runCreate(type: ContentType, data: Values, insertion: Insertion, context: ContentContext): Promise<Loaded> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryCreate(type, data, { insertion, attempt }, context);
    } catch (error) {
      const isTaken = hasCode(error, 'id-taken') ? attempt === 0 : hasCode(error, 'uid-taken') && attempt < lastAttempt;
      if (!isTaken || context.store.database.session !== null) throw error;
    }
  }
}

const tryCreate = (type: ContentType, data: Values, tried: Attempt, context: ContentContext): Promise<Loaded> =>
  runWrite({ action: 'create', type, data, selection: tried.insertion.selection }, context, {
    run: async (changed, inside) => {
      const accepted = changed === data ? data : acceptInput(type, changed, inside);
      const { group = null, values = {} } = tried.insertion.source ?? {};
      if (accepted !== data)
        await checkBody(type, { ...requiredShared(type, values), ...accepted }, createRules(accepted, inside, group), inside);
      return insertWithNextId(type, accepted, tried, inside);
    },
    written: ({ document }) => ({ id: Number(document['_id']) }),
  });

interface Attempt {
  readonly insertion: Insertion;
  /** The number of the attempt, from 0. */
  readonly attempt: number;
}

async function insertWithNextId(
  type: ContentType,
  data: Values,
  { insertion, attempt }: Attempt,
  context: ContentContext,
): Promise<Loaded> {
  const uids = await generateUids(type, data, attempt, context);
  const complete = uids === null ? data : { ...data, ...uids };
  const write = await buildWrite(type, complete, null, context);
  const [id = 0] = await context.store.ids.next(type.collection, 1, { ...context.store.database, session: null });
  const document = buildDocument(type, complete, write, { id, source: insertion.source, context });
  const { access } = context.bind;
  const mayBreakRule = access.rules.has(type.uid) && createMayBreakRule(type, complete, access);
  const linked = write.inverse.length > 0 || write.exclusive.length > 0;
  const unique = { type, data: complete, id: null, group: insertion.source?.group ?? null, generated: Object.keys(uids ?? {}) };
  await orUniqueError(unique, context, () =>
    linked || mayBreakRule
      ? inTransaction(context.store.database, (database) =>
          insertLinked(type, { document, write, mayBreakRule }, withDatabase(context, database)),
        )
      : insertEntry(context.store, type.collection, document),
  );
  return readNew(type, document, insertion, context);
}

/**
 * Returns a new entry with what the selection reads of it. Sends no command if nothing is populated and the entry has no other
 * locales yet.
 */
async function readNew(
  type: ContentType,
  document: EntryDocument,
  { selection, source }: Insertion,
  context: ContentContext,
): Promise<Loaded> {
  const hasLocales = selection.locales !== null && (source !== null || type.kind === 'singleType');
  if (hasLocales || selection.children.length > 0) return readWritten(document, selection, context);
  return { document, selection, children: selection.locales === null ? [] : [[]] };
}

/** A new entry that is ready to be stored. */
export interface PreparedEntry {
  readonly document: EntryDocument;
  readonly write: EntryWrite;
  /** Whether the entry could break a rule. */
  readonly mayBreakRule: boolean;
}

/** Stores an entry, and its links that other entries store. Runs inside a transaction. */
export async function insertLinked(
  type: ContentType,
  { document, write, mayBreakRule }: PreparedEntry,
  context: ContentContext,
): Promise<void> {
  for (const links of write.exclusive) await writeExclusive(document._id, type, links, context);
  await insertEntry(context.store, type.collection, document);
  for (const links of write.inverse) await writeInverse({ type, id: document._id }, links, context);
  if (mayBreakRule) await refuseBroken({ type, id: document._id, before: null }, context);
}
