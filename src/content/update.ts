import { settingValues } from './rights/caller.js';
import { ApiError } from '#base/errors.js';
import type { Database } from '#store/send/database.js';
import { findFirst } from '#store/stored.js';
import { type Match, matchesAll } from '#store/form/matches.js';
import { inTransaction } from '#store/send/transaction.js';
import { type EntryDocument, entryStore } from '#store/write/write-entries.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { LinkChild, Selection } from '#model/query/plan.js';
import { addedAs } from '#model/schema/added-attributes.js';
import { mayBeIncomplete } from '#model/schema/check-published.js';
import type { Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { buildWrite } from './build-write.js';
import { acceptChanged, acceptWrite } from './accept-write.js';
import { matchExpected, refuseUnexpected, type EntryKey } from './meet-precondition.js';
import { checkBody, isPublished, refuseIncomplete } from './check-body.js';
import { withDatabase, type ContentContext } from './content-context.js';
import { updateForCode } from './data-for-code.js';
import { marksOfUpdate, stampUpdate } from './build-document.js';
import type { Loaded } from '#store/form/loaded.js';
import { refuseOrTell, type Undone } from './refuse-or-tell.js';
import { matchVisible, refuseBroken, updateMayBreakRule } from './rules-on-writes.js';
import { readLocales, refuseHiddenLocales, sharedNames, syncLocales } from './sync-locales.js';
import { orUniqueError, readWritten, runWrite } from './run-write.js';
import { writeExclusive, writeInverse } from './write-inverse.js';

/** The data of a write as the client sent it, and the query that selects the answer. */
export interface WriteInput {
  readonly data: unknown;
  readonly query: Query;
}

interface UpdateInput extends WriteInput {
  /** How the answer shows the other locales, as they were before, if the data has values that they share. */
  readonly copied?: LinkChild | undefined;
}

/**
 * Updates the given values of an entry. Absent values stay, null clears a value. Returns the entry as the query selects it; null
 * if there is none. Throws a ValidationError, an ApplicationError for components that are not the entry's, or a ForbiddenError if
 * the entry then breaks the caller's rule, or if a value changes that it shares with entries that the rule hides.
 */
export async function update(
  key: EntryKey,
  { data, query, copied }: UpdateInput,
  context: ContentContext,
): Promise<Loaded | null> {
  const { type, id } = key;
  const selection = bindEntrySelection(query, type, context.bind);
  const accepted = acceptWrite(type, data, context);
  if (type.localized) refuseOrTell(fixedValues(type, accepted), context);
  const change = await bindChange({ selection, copied, ...key }, stampUpdate(accepted), context);
  const checked = await checkChange(change, context);
  if (checked === null) return refuseUnexpected(key, change.visible, context);
  const write = { action: 'update', type, where: { id }, data: change.data, query, selection } as const;
  const updated = await runWrite(write, context, {
    run: async (changed, inside) => {
      if (changed === change.data) return writeChange(change, checked, inside);
      const rebound = await bindChange(change, { ...stampUpdate({}), ...acceptChanged(type, changed, inside) }, inside);
      const rechecked = await checkChange(rebound, inside);
      return rechecked === null ? null : writeChange(rebound, rechecked, inside);
    },
    forCode: () => updateForCode(type, { data: change.data, given: data }, context),
    exists: async ({ store }) => (await readStored(type, change.match, store.database)) !== null,
    written: (updated) => (updated === null ? null : { id }),
  });
  return updated ?? refuseUnexpected(key, change.visible, context);
}

/** Makes a checked change. Checks it again if it was allowed for a draft that was published meanwhile. */
async function writeChange(change: Change, checked: Change, context: ContentContext): Promise<Loaded | null> {
  const updated = await orUniqueError(checked, context, () =>
    isScalarsOnly(checked, context) ? updateScalars(checked, context) : updateAndSync(checked, context),
  );
  if (updated === null && checked !== change) await checkChange(change, context);
  return updated;
}

async function bindChange(
  key: EntryKey & Pick<Change, 'selection' | 'copied'>,
  given: Values,
  context: ContentContext,
): Promise<Change> {
  const { type, id } = key;
  const data = type.localized ? unlocalized(type, given) : given;
  const mayBreakRule = updateMayBreakRule(type, Object.keys(data), context);
  const visible = await matchVisible(type, id, context);
  return { ...key, data, mayBreakRule, visible, match: matchExpected(visible, key) };
}

/** A checked update. Its data has the time of the update. */
interface Change extends EntryKey, Pick<UpdateInput, 'copied'> {
  readonly data: Values;
  /** The selection that the answer shows. */
  readonly selection: Selection;
  /** Matches the entry unless the caller's rule hides it. */
  readonly visible: Match;
  /** Also demands the expected version. */
  readonly match: Match;
  /** Whether the entry may no longer meet the caller's rule afterwards. */
  readonly mayBreakRule: boolean;
}

/** Returns whether an attribute holds the locale of an entry or its other locales, which an update cannot change. */
const isFixed = (type: ContentType, name: string): boolean => addedAs(type, name) === 'locale';

const unlocalized = (type: ContentType, data: Values): Values =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !isFixed(type, name)));

const fixedValues = (type: ContentType, data: Values): readonly Undone[] =>
  Object.keys(data)
    .filter((name) => isFixed(type, name))
    .map((name) => ({
      path: [name],
      message: `${name} of ${type.uid} is not changed by an update`,
      remedy: 'remove it from the body',
    }));

/**
 * Checks a change by the rules of published entries, which does not need the stored entry. Only if this fails, reads the entry,
 * and checks by the rules of drafts if it is one; the change then applies only to a draft. Returns null if it then finds no such
 * entry.
 */
async function checkChange(change: Change, context: ContentContext): Promise<Change | null> {
  const { type, id, data, match } = change;
  try {
    await checkBody(type, data, { mode: 'update', draft: context.isRaw === true, id }, context);
    return change;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const stored = await readStored(type, match, context.store.database);
    if (stored === null) return null;
    if (!type.draftAndPublish || isPublished(stored)) throw error;
    await checkBody(type, data, { mode: 'update', draft: true, id }, context);
    return { ...change, match: matchesAll(match, { publishedAt: null }) };
  }
}

const readStored = async (type: ContentType, match: Match, database: Database): Promise<EntryDocument | null> =>
  (await findFirst(database, type.collection, match)) as EntryDocument | null; // entries have numeric ids

/**
 * Returns whether one command can make a change: it sets only scalars that no other locale shares and no rule depends on, and
 * publishes no draft that may be incomplete.
 */
function isScalarsOnly({ type, data, mayBreakRule }: Change, { bind }: ContentContext): boolean {
  if (mayBreakRule || (isPublished(data) && mayBeIncomplete(type, bind.registry))) return false;
  const names = Object.keys(data);
  return names.every((name) => type.attributes.get(name)?.kind === 'scalar') && sharedNames(type, names).length === 0;
}

async function updateScalars({ type, data, selection, match }: Change, context: ContentContext): Promise<Loaded | null> {
  const { values } = await buildWrite(type, data, { current: {} }, context);
  const change = settingValues(type, Object.assign({}, values, marksOfUpdate(data, context)));
  const document = await entryStore.update(context.store, type.collection, { match, change, selection });
  return document === null ? null : readWritten(document, selection, context);
}

/** Makes a change in one transaction. Components and links depend on stored values, and may change other entries. */
async function updateAndSync(change: Change, context: ContentContext): Promise<Loaded | null> {
  const { type, data, selection, copied } = change;
  const names = sharedNames(type, Object.keys(data));
  const updated = await inTransaction(context.store.database, async (database) => {
    const inside = withDatabase(context, database);
    const document = await updateStored(change, names.length > 0 ? null : selection, inside);
    if (document === null || names.length === 0) return { document, loaded: null };
    // As in Strapi v4, the answer shows the other locales before the shared values were copied to them.
    const shown = copied === undefined ? selection : { ...selection, locales: copied };
    const { stored, rows } = await readLocales(type, document, { names, selection: shown }, inside);
    const loaded = await readWritten(document, shown, inside, rows);
    await syncLocales(type, document, { names, stored }, inside);
    return { document, loaded };
  });
  return updated.document === null ? null : (updated.loaded ?? readWritten(updated.document, selection, context));
}

async function updateStored(
  { type, id, data, match, mayBreakRule }: Change,
  selection: Selection | null,
  context: ContentContext,
): Promise<EntryDocument | null> {
  const stored = await readStored(type, match, context.store.database);
  if (stored === null) return null;
  const isAlone = context.store.database.session === null; // without a transaction
  const write = await buildWrite(type, data, { current: stored }, context);
  if (!isPublished(stored)) refuseIncomplete(type, { ...stored, ...write.values }, context);
  if (type.localized) await refuseHiddenLocales({ type, source: stored, values: write.values }, context);
  for (const links of write.exclusive) await writeExclusive(id, type, links, context);
  const document = await entryStore.update(context.store, type.collection, {
    match: isAlone ? match : { _id: id },
    change: settingValues(type, Object.assign({}, write.values, marksOfUpdate(data, context))),
    ...(selection !== null && { selection }),
    ...(!isAlone && { before: stored }),
  });
  let isReached = false;
  for (const links of write.inverse) isReached = (await writeInverse({ type, id }, links, context)) || isReached;
  if (mayBreakRule) await refuseBroken({ type, id, before: stored }, context);
  return isReached ? readStored(type, { _id: id }, context.store.database) : document;
}
