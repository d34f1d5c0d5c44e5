import { applicationError, hasCode, notFoundError } from '#base/errors.js';
import { findFirst } from '#store/stored.js';
import { localeGroup } from '#store/form/layout.js';
import type { LoadedEntry, StoredDocument } from '#store/form/loaded.js';
import { inTransaction } from '#store/send/transaction.js';
import { type EntryDocument, entryStore } from '#store/write/write-entries.js';
import type { Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { buildDocument, stampNewEntry } from './build-document.js';
import { buildWrite, type EntryWrite } from './build-write.js';
import { acceptChangedData, acceptNewEntry } from './accept-write.js';
import { type BodyContext, checkBody, refuseIncomplete } from './check-body.js';
import { type ContentContext, withDatabase } from './content-context.js';
import { createForCode } from './data-for-code.js';
import { generateUids, lastAttempt } from './generate-uids.js';
import { createMayBreakRule, refuseBroken } from './rules-on-writes.js';
import { copyValues } from './copy-values.js';
import { findGroupToJoin, heldNames, refuseHiddenLocales, sharedAttributes, shareValues } from './sync-locales.js';
import { finalEntry, orUniqueError, readWrittenEntry, runWrite, withOwnTransaction } from './run-write.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/**
 * Creates an entry from a client's data and returns it as the query selects it. An entry whose data has `localizations` joins their
 * group. Throws a ValidationError, an ApplicationError for a locale that does not exist, or a ForbiddenError if the entry breaks the
 * caller's rule.
 */
export async function create(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<LoadedEntry> {
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = acceptNewEntry(type, data, context);
  const source = type.localized ? await groupToJoin(type, accepted, context) : null;
  if (source !== null) return createInGroup(type, accepted, { query, selection, source, input: data }, context);
  await checkBody(type, accepted, createRules(type, accepted, null, context), context);
  return runCreate(type, accepted, { query, selection, source: null, input: data }, context);
}

/**
 * Returns the rules for the body of a new entry. Only an explicit `publishedAt: null` makes it a draft. `source` is an entry of the
 * localization group that it joins, which has the shared values that the body leaves out.
 */
export const createRules = (
  type: ContentType,
  data: Values,
  source: StoredDocument | null,
  { isRaw }: ContentContext,
): BodyContext => ({
  mode: 'create',
  draft: (type.draftAndPublish && data['publishedAt'] === null) || isRaw === true,
  id: null,
  ...(source !== null && { group: localeGroup.of(source), presetNames: heldNames(type, source) }),
});

interface Joining extends Insertion {
  readonly source: StoredDocument;
}

/**
 * Creates an entry in the localization group of a stored one. It has the shared values of the group, unless its data has others:
 * these are copied to the other locales in the same transaction. Throws the errors of a create, and a ForbiddenError if the data
 * changes a value in a locale that the caller's rule hides.
 */
export async function createInGroup(
  type: ContentType,
  data: Values,
  joining: Joining,
  context: ContentContext,
): Promise<LoadedEntry> {
  const { source, selection } = joining;
  await checkBody(type, data, createRules(type, data, source, context), context);
  await refuseHiddenLocales({ type, source, values: data }, context);
  const created = await orUniqueError({ type, data, id: null, group: localeGroup.of(source) }, context, () =>
    inTransaction(context.store.database, (database) => runCreate(type, data, joining, withOwnTransaction(context, database))),
  );
  const changed = finalEntry(created);
  return changed === created ? readWrittenEntry(created.document, selection, context) : changed;
}

/** Returns the stored entry whose group a new one joins; null if its data names none. */
async function groupToJoin(type: ContentType, data: Values, context: ContentContext): Promise<StoredDocument | null> {
  const { locale = null, localizations = null } = data;
  if (locale !== null && !(typeof locale === 'string' && context.bind.locales.includes(locale)))
    throw applicationError("This locale doesn't exist");
  return localizations === null ? null : findGroupToJoin(type, localizations, context);
}

interface Insertion {
  readonly query: Query;
  /** The selection that is read for the answer. */
  readonly selection: Selection;
  /** A stored entry of the localization group that the new one joins; null if it starts its own. */
  readonly source: StoredDocument | null;
  /** The data as they were sent. Code before the write also sees what is not written. */
  readonly input?: unknown;
}

/**
 * Stores checked data as a new entry atomically, and returns what the selection reads of it. Data that code around the write has
 * changed is checked again. Tries again with another id if an import has taken the first one, and with other uids if other
 * creates have taken the generated ones. Inside a transaction it does not try again, because the error has ended the transaction.
 */
export async function runCreate(
  type: ContentType,
  checked: Values,
  insertion: Insertion,
  context: ContentContext,
): Promise<LoadedEntry> {
  const { query, selection, source } = insertion;
  for (let attempt = 0; ; attempt++) {
    const data = stampNewEntry(type, checked, context);
    try {
      return await runWrite({ action: 'create', type, data, query, selection }, context, {
        run: async (changed, inside) => {
          const accepted = changed === data ? data : acceptChangedData(type, changed, inside);
          if (accepted !== data) await checkBody(type, accepted, createRules(type, accepted, source, inside), inside);
          return insertWithNextId(type, accepted, { ...insertion, attempt }, inside);
        },
        forCode: () => createForCode(type, { data, input: insertion.input, source }, context),
        written: ({ document }) => ({ id: Number(document['_id']) }),
      });
    } catch (error) {
      const isTaken = hasCode(error, 'id-taken') ? attempt === 0 : hasCode(error, 'uid-taken') && attempt < lastAttempt;
      if (!isTaken || context.store.database.session !== null) throw error;
    }
  }
}

interface Attempt extends Insertion {
  /** The number of the attempt, from 0. */
  readonly attempt: number;
}

async function insertWithNextId(
  type: ContentType,
  data: Values,
  { selection, source: named, attempt }: Attempt,
  context: ContentContext,
): Promise<LoadedEntry> {
  const source = named && (await findFirst(context.store.database, type.collection, { _id: named['_id'] }));
  if (named !== null && source === null) throw notFoundError('Entity not found'); // it was deleted meanwhile
  const uids = await generateUids(type, data, attempt, context);
  const complete = uids === null ? data : { ...data, ...uids };
  const prepared = await prepareEntry(type, complete, { given: null, source }, context);
  const group = source === null ? null : localeGroup.of(source);
  await orUniqueError({ type, data: complete, id: null, group, generated: Object.keys(uids ?? {}) }, context, () =>
    insertPrepared(type, prepared, context),
  );
  if (source === null) return readNew(type, prepared.document, selection, context);
  await shareValues(type, prepared.document, { source, givenNames: Object.keys(complete) }, context);
  return { document: prepared.document, selection, children: [] }; // read after the commit
}

interface NewEntry extends Pick<Insertion, 'source'> {
  /** The id of the entry; null for the next one. */
  readonly given: number | null;
}

/** Returns the new entry of a checked body. */
export async function prepareEntry(
  type: ContentType,
  data: Values,
  { given, source }: NewEntry,
  context: ContentContext,
): Promise<PreparedEntry> {
  const { store, bind } = context;
  const missing = source === null ? [] : sharedAttributes(type).filter((name) => !Object.hasOwn(data, name));
  const taken = source === null ? {} : await copyValues(type, source, missing, context);
  const write = await buildWrite(type, data, { draftValues: taken }, context);
  const [id = 0] = given === null ? await store.ids.next(type.collection, 1, { ...store.database, session: null }) : [given];
  const document = buildDocument(type, data, write, { id, group: source === null ? null : localeGroup.of(source), context });
  if (source !== null) refuseIncomplete(type, document, context);
  const mayBreakRule = bind.access.rules.has(type.uid) && createMayBreakRule(type, data, bind.access);
  return { document, write, mayBreakRule };
}

async function insertPrepared(type: ContentType, prepared: PreparedEntry, context: ContentContext): Promise<void> {
  if (isLinked(prepared) || prepared.mayBreakRule)
    await inTransaction(context.store.database, (database) => insertWithLinks(type, prepared, withDatabase(context, database)));
  else await entryStore.insert(context.store, type.collection, prepared.document);
}

/** Returns whether other entries store links of a new one. */
export const isLinked = ({ write }: PreparedEntry): boolean => write.inverse.length > 0 || write.exclusive.length > 0;

/**
 * Returns a new entry with what the selection reads of it. Sends no command if nothing is populated and the entry has no other
 * locales yet.
 */
async function readNew(
  type: ContentType,
  document: EntryDocument,
  selection: Selection,
  context: ContentContext,
): Promise<LoadedEntry> {
  const hasLocales = selection.locales !== null && type.kind === 'singleType';
  if (hasLocales || selection.children.length > 0) return readWrittenEntry(document, selection, context);
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
export async function insertWithLinks(
  type: ContentType,
  { document, write, mayBreakRule }: PreparedEntry,
  context: ContentContext,
): Promise<void> {
  for (const links of write.exclusive) await writeExclusive(document._id, type, links, context);
  await entryStore.insert(context.store, type.collection, document);
  for (const links of write.inverse) await writeInverse({ type, id: document._id }, links, context);
  if (mayBreakRule) await refuseBroken({ type, id: document._id, before: null }, context);
}
