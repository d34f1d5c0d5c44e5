import { forbiddenError } from '#base/errors.js';
import { settingValues } from './rights/caller.js';
import { storedDraft } from '#store/form/draft.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { inTransaction } from '#store/send/transaction.js';
import { type EntryDocument, entryStore } from '#store/write/write-entries.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { Selection } from '#model/query/plan.js';
import { mayBeIncomplete } from '#model/schema/check-published.js';
import type { Query } from '#model/query/ast.js';
import { buildWrite } from './build-write.js';
import { acceptChangedData, acceptWrite } from './accept-write.js';
import { bindChange, type Change, checkChange, fixedValues, isOfDraft, readFor, readStoredEntry, seeing } from './bind-change.js';
import { refuseUnexpected, type EntryKey } from './meet-precondition.js';
import { isPublished, refuseIncomplete } from './check-body.js';
import { withDatabase, type ContentContext } from './content-context.js';
import { draftValuesOf, refuseBeside, takingDraft, withAllDrafts, withDrafts } from './drafts.js';
import { updateForCode } from './data-for-code.js';
import { marksOfUpdate, stampUpdate } from './build-document.js';
import { refuseOrLog } from './refuse-or-log.js';
import { hidesDrafts, refuseBroken } from './rules-on-writes.js';
import { readLocales, refuseHiddenLocales, sharedNames, syncLocales } from './sync-locales.js';
import { orUniqueError, readWrittenEntry, runWrite } from './run-write.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/** The data of a write as the client sent it, and the query that selects the answer. */
export interface WriteInput {
  readonly data: unknown;
  readonly query: Query;
}

interface UpdateInput extends WriteInput, Pick<Change, 'copied'> {}

/**
 * Updates the given values of an entry, or of the draft beside it. Absent values stay, null clears a value. Returns the entry as the
 * query selects it; null if there is none. Throws a ValidationError, an ApplicationError for components that are not the entry's, a
 * ConflictError if it does not say that the entry itself is meant although a draft is beside it, or a ForbiddenError if the entry then
 * breaks the caller's rule, or if a value changes that it shares with entries that the rule hides.
 */
export async function update(
  key: EntryKey,
  { data, query, copied }: UpdateInput,
  context: ContentContext,
): Promise<LoadedEntry | null> {
  const { type, id } = key;
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = acceptWrite(type, data, context);
  if (type.localized) refuseOrLog(fixedValues(type, accepted), context);
  const change = await bindChange({ selection, copied, ...key }, stampUpdate(accepted), context);
  const checked = await checkChange(change, context);
  if (checked === null) return refuseOther(change, context);
  const { where = { id } } = key;
  const write = { action: 'update', type, id, where, data: change.data, query, selection } as const;
  const updated = await runWrite(write, context, {
    run: async (changed, inside) => {
      if (changed === change.data) return writeChange(change, checked, inside);
      const rebound = await bindChange(change, { ...stampUpdate({}), ...acceptChangedData(type, changed, inside) }, inside);
      const rechecked = await checkChange(rebound, inside);
      return rechecked === null ? null : writeChange(rebound, rechecked, inside);
    },
    forCode: () => updateForCode(type, { data: change.data, input: data }, context),
    exists: async (inside) => (await readFor(change, inside)) !== null,
    written: (updated) => (updated === null ? null : { id }),
  });
  return updated ?? refuseOther(change, context);
}

/** Returns null if there is no such entry. Throws an error if there is one that the update does not mean. */
async function refuseOther(change: Change, context: ContentContext): Promise<null> {
  if (change.use === 'refused') await refuseBeside(change.type, change.visible, context);
  return refuseUnexpected(change, change.visible, await seeing(change, context));
}

/** Makes a checked change. Checks it again if it was allowed for a draft that was published meanwhile. */
async function writeChange(change: Change, checked: Change, context: ContentContext): Promise<LoadedEntry | null> {
  const updated = isScalarsOnly(checked, context)
    ? await orUniqueError(checked, context, () => updateScalars(checked, context))
    : await updateAndSync(checked, context);
  if (updated === null && checked !== change) await checkChange(change, context);
  return updated;
}

/**
 * Returns whether one command can make a change: it sets only scalars that no other locale shares and no rule depends on, and
 * publishes no draft that may be incomplete.
 */
function isScalarsOnly({ type, data, use, mayBreakRule }: Change, { bind }: ContentContext): boolean {
  if (mayBreakRule || isOfDraft({ use }) || (isPublished(data) && mayBeIncomplete(type, bind.registry))) return false;
  const names = Object.keys(data);
  return names.every((name) => type.attributes.get(name)?.kind === 'scalar') && sharedNames(type, names).length === 0;
}

async function updateScalars({ type, data, selection, match }: Change, context: ContentContext): Promise<LoadedEntry | null> {
  const { values } = await buildWrite(type, data, { current: {} }, context);
  const change = settingValues(type, Object.assign({}, values, marksOfUpdate(data, context)));
  const document = await entryStore.update(context.store, type.collection, { match, change, selection });
  return document === null ? null : readWrittenEntry(document, selection, context);
}

/** Makes a change in one transaction. Components and links depend on stored values, and may change other entries. */
async function updateAndSync(change: Change, context: ContentContext): Promise<LoadedEntry | null> {
  const { type, data, use, selection } = change;
  const updated = await inTransaction(context.store.database, async (database): Promise<Updated> => {
    const inside = withDatabase(context, database);
    const stored = await readFor(change, inside);
    if (stored === null) return { document: null, loaded: null };
    if (isBeside(change, stored) && hidesDrafts(type, inside)) throw forbiddenError();
    const taken = use === 'taken' ? storedDraft.of(stored) : null;
    const unique = taken === null ? change : { ...change, data: { ...taken, ...data } };
    return orUniqueError(unique, inside, async () =>
      use === 'saved' && isPublished(stored)
        ? { document: await saveDraft(change, stored, inside), loaded: null }
        : storeAndSync(change, stored, Object.keys(unique.data), inside),
    );
  });
  if (updated.document === null) return null;
  return updated.loaded ?? readWrittenEntry(updated.document, selection, isOfDraft(change) ? await withDrafts(context) : context);
}

interface Updated {
  readonly document: EntryDocument | null;
  /** The answer, if the other locales were read for it. */
  readonly loaded: LoadedEntry | null;
}

/** Stores an update of the named attributes, and copies the values that the other locales share. */
async function storeAndSync(
  change: Change,
  stored: EntryDocument,
  attributes: readonly string[],
  context: ContentContext,
): Promise<Updated> {
  const { type, selection, copied } = change;
  const names = sharedNames(type, attributes);
  const document = await updateStored(change, { stored, selection: names.length > 0 ? null : selection }, context);
  if (document === null || names.length === 0) return { document, loaded: null };
  // As in Strapi v4, the answer shows the other locales before the shared values were copied to them.
  const answerSelection = copied === undefined ? selection : { ...selection, locales: copied };
  const { stored: locales, rows } = await readLocales(type, document, { names, selection: answerSelection }, context);
  const loaded = await readWrittenEntry(document, answerSelection, context, rows);
  await syncLocales(type, document, { names, stored: locales }, context);
  return { document, loaded };
}

/** Returns whether an update is about a draft beside a published entry. */
const isBeside = ({ use }: Change, stored: EntryDocument): boolean =>
  use === 'saved' ? isPublished(stored) : use === 'taken' && storedDraft.of(stored) !== null;

/** A stored entry, and what is read of it after its update; null for all of it. */
interface Stored {
  readonly stored: EntryDocument;
  readonly selection: Selection | null;
}

async function updateStored(
  { type, id, data, use, match, mayBreakRule }: Change,
  { stored, selection }: Stored,
  context: ContentContext,
): Promise<EntryDocument | null> {
  const isAlone = context.store.database.session === null; // without a transaction
  const isTaken = use === 'taken' && storedDraft.of(stored) !== null;
  const before = isTaken && mayBreakRule ? await readStoredEntry(type, { _id: id }, context.store.database) : stored;
  const built = await buildWrite(type, data, { current: stored }, context);
  const write = isTaken ? takingDraft(type, stored, built) : built;
  if (isTaken || !isPublished(stored)) refuseIncomplete(type, { ...stored, ...write.values }, context);
  if (type.localized) await refuseHiddenLocales({ type, source: stored, values: write.values }, context);
  for (const links of write.exclusive) await writeExclusive(id, type, links, context);
  const set = settingValues(type, Object.assign({}, write.values, marksOfUpdate(data, context)));
  const document = await entryStore.update(context.store, type.collection, {
    match: !isAlone ? { _id: id } : isTaken ? storedDraft.same(stored) : match,
    change: isTaken ? { ...set, ...storedDraft.removed } : set,
    ...(selection !== null && { selection }),
    ...(!isAlone && !isTaken && { before: stored }),
  });
  let isReached = false;
  for (const links of write.inverse) isReached = (await writeInverse({ type, id }, links, context)) || isReached;
  if (mayBreakRule) await refuseBroken({ type, id, before }, context);
  return isReached ? readStoredEntry(type, { _id: id }, context.store.database) : document;
}

/** Saves the draft beside a published entry, which was read with the draft in its place. Returns it in the same form. */
async function saveDraft(
  { type, id, data, mayBreakRule }: Change,
  stored: EntryDocument,
  context: ContentContext,
): Promise<EntryDocument | null> {
  const before = mayBreakRule ? await readStoredEntry(type, { _id: id }, context.store.database) : null;
  const write = await buildWrite(type, data, { current: stored }, context);
  const values = await draftValuesOf({ type, id }, stored, write, context);
  const document = await entryStore.update(context.store, type.collection, {
    match: storedDraft.same(stored),
    change: { set: { ...values, ...marksOfUpdate(data, context) } },
    ofDraft: true,
  });
  if (document !== null && mayBreakRule) await refuseBroken({ type, id, before }, await withAllDrafts(context));
  return document && storedDraft.inPlace(document);
}
