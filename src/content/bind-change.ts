import { ApiError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { LinkChild, Selection } from '#model/query/plan.js';
import { addedAs } from '#model/schema/added-attributes.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { hasSchedule } from '#model/schema/scheduled.js';
import { storedDraft } from '#store/form/draft.js';
import { type Match, matchesAll, matchesNone } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { findFirst } from '#store/stored.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import { checkBody, isPublished } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { draftUse, type DraftUse, withAllDrafts } from './drafts.js';
import { type EntryKey, matchExpectedEntry } from './meet-precondition.js';
import type { Undone } from './refuse-or-log.js';
import { hidesOne, matchVisibleEntry, updateMayBreakRule } from './rules-on-writes.js';

/** A checked update. Its data has the time of the update. */
export interface Change extends EntryKey {
  /** How the answer shows the other locales, as they were before, if the data has values that they share. */
  readonly copied?: LinkChild | undefined;
  readonly data: Values;
  /** What it does with the draft beside the entry. */
  readonly use: DraftUse;
  /** The selection that the answer shows. */
  readonly selection: Selection;
  /** Matches the entry unless the caller's rule hides it. */
  readonly visible: Match;
  /** Also demands the expected version. */
  readonly match: Match;
  /** Whether the entry may no longer meet the caller's rule afterwards. */
  readonly mayBreakRule: boolean;
}

/** Returns an update of an entry with its match. */
export async function bindChange(
  key: EntryKey & Pick<Change, 'selection' | 'copied'>,
  given: Values,
  context: ContentContext,
): Promise<Change> {
  const { type, id, status } = key;
  const data = withoutPastTime(type, type.localized ? unlocalized(type, given) : given);
  const use = draftUse(type, data, status);
  const names = use === 'taken' ? [...type.attributes.keys()] : Object.keys(data);
  const mayBreakRule = updateMayBreakRule(type, names, context);
  const isHidden = isOfDraft({ use }) && (await hidesOne(type, { _id: id }, context));
  const visible = isHidden ? matchesNone({}) : await matchVisibleEntry(type, id, await seeing({ use }, context));
  const match = matchExpectedEntry(visible, key);
  return { ...key, data, use, mayBreakRule, visible, match: use === 'refused' ? matchesAll(match, storedDraft.absent) : match };
}

/**
 * Returns an update that also removes the time of publishing if it publishes the entry by hand. That time would publish the next draft
 * beside it.
 */
const withoutPastTime = (type: ContentType, data: Values): Values =>
  keepsDrafts(type) && hasSchedule(type) && isPublished(data) ? { publishAt: null, ...data } : data;

/** Returns the context in which an update reads the entry that it changes. */
export const seeing = async ({ use }: Pick<Change, 'use'>, context: ContentContext): Promise<ContentContext> =>
  isOfDraft({ use }) ? withAllDrafts(context) : context;

/** Returns whether an update changes the draft beside the entry, or makes it the entry. */
export const isOfDraft = ({ use }: Pick<Change, 'use'>): boolean => use === 'saved' || use === 'taken';

/** Returns whether an attribute holds the locale of an entry or its other locales, which an update cannot change. */
const isFixed = (type: ContentType, name: string): boolean => addedAs(type, name) === 'locale';

const unlocalized = (type: ContentType, data: Values): Values =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !isFixed(type, name)));

/** Returns the parts of an update that it does not change. */
export const fixedValues = (type: ContentType, data: Values): readonly Undone[] =>
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
export async function checkChange(change: Change, context: ContentContext): Promise<Change | null> {
  const { type, id, data, match, use } = change;
  try {
    await checkBody(type, data, { mode: 'update', draft: context.isRaw === true || use === 'saved', id }, context);
    return change;
  } catch (error) {
    if (!(error instanceof ApiError) || use === 'saved') throw error;
    const stored = await readStoredEntry(type, match, context.store.database);
    if (stored === null) return null;
    if (!type.draftAndPublish || isPublished(stored)) throw error;
    await checkBody(type, data, { mode: 'update', draft: true, id }, context);
    return { ...change, match: matchesAll(match, { publishedAt: null }) };
  }
}

/** Reads the entry that an update changes, with the draft in its place if the update is about that. */
export const readFor = async (change: Change, context: ContentContext): Promise<EntryDocument | null> =>
  readStoredEntry(change.type, change.match, (await seeing(change, context)).store.database);

/** Reads the entry of a match as it is stored; null if there is none. */
export const readStoredEntry = async (type: ContentType, match: Match, database: Database): Promise<EntryDocument | null> =>
  (await findFirst(database, type.collection, match)) as EntryDocument | null; // entries have numeric ids
