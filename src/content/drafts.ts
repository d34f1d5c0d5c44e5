import { ApiError, fieldErrors } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { Aggregation } from '#model/query/aggregate/aggregation.js';
import type { Query } from '#model/query/ast.js';
import type { Plan } from '#model/query/plan.js';
import { reachedTypes, typesOfGroups } from '#model/query/reached-types.js';
import { applyLinkInput } from '#model/schema/apply-link-input.js';
import type { ContentType } from '#model/schema/content-type.js';
import { draftTypes, keepsDrafts } from '#model/schema/drafts-beside.js';
import { storedDraft } from '#store/form/draft.js';
import { entryVersion, type StoredDocument } from '#store/form/loaded.js';
import { type Match, matchesAll, matchesNone } from '#store/form/matches.js';
import { hidingDrafts, seeingDrafts } from '#store/read/draft-overlay.js';
import { findFirst, findStored, isStored } from '#store/stored.js';
import type { EntryWrite, InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { type EntryKey, matchExpectedEntry, type Status } from './meet-precondition.js';
import { hidesDrafts, ruleFilter, updateMayBreakRule } from './rules-on-writes.js';
import { linksInOrder } from './write-inverse.js';

/**
 * What an update does with the draft beside a published entry:
 * - saved: it changes the draft, and makes one unless there is one
 * - taken: the draft becomes the entry
 * - kept: it changes the entry beside it
 * - refused: it changes an entry without one
 */
export type DraftUse = 'saved' | 'taken' | 'kept' | 'refused';

/** Attributes that decide about the publication of an entry alone, with the time of the update. */
const ofPublication: ReadonlySet<string> = new Set(['publishedAt', 'publishAt', 'unpublishAt', 'updatedAt', 'updatedBy']);

/**
 * Returns what an update with some data does with drafts. One that publishes or unpublishes an entry and changes nothing else takes the
 * draft, whoever sends it. Throws a ValidationError for a draft with a date of publication.
 */
export function draftUse(type: ContentType, data: Values, status: Status | undefined): DraftUse {
  if (!keepsDrafts(type)) return 'kept';
  const { publishedAt } = data;
  if (status === 'draft') {
    if (publishedAt === undefined) return 'saved';
    throw datedDraft();
  }
  const decides = publishedAt !== undefined && Object.keys(data).every((name) => ofPublication.has(name));
  if (decides || (publishedAt === null && status === 'published')) return 'taken';
  return status === 'published' ? 'kept' : 'refused';
}

/** Returns the context in which a write reads drafts in the place of their entries. Its rule is for the entry and for the draft. */
export async function withAllDrafts(context: ContentContext): Promise<ContentContext> {
  const store = await seeingDrafts(context.store, draftTypes(context.bind.registry));
  return store === context.store ? context : { ...context, store };
}

/**
 * Returns the context in which drafts that the caller may see are read in the place of their entries, if any are stored; only those of
 * some types if these are given.
 */
export async function withDrafts(context: ContentContext, reached?: ReadonlySet<ContentType>): Promise<ContentContext> {
  const all = draftTypes(context.bind.registry);
  const types = reached === undefined ? all : all.filter((type) => reached.has(type));
  if (types.length > 0) context.store.database.reads?.noteUnpurged();
  const store = await seeingDrafts(context.store, types);
  return store === context.store ? context : hidingRuled(types, { ...context, store }, context);
}

/**
 * Returns the context of drafts without those of entries that a rule of the caller hides, as they are or as their drafts are: these
 * entries are seen as they are, so that a draft moves no entry into what the caller sees, and none out of it. A rule that asks for the
 * publication of entries hides all drafts of its type. Sends two commands more, and those of the rule, for each type with another
 * rule of which drafts are stored.
 */
async function hidingRuled(types: readonly ContentType[], seeing: ContentContext, live: ContentContext): Promise<ContentContext> {
  let { store } = seeing;
  for (const type of types) {
    const { collection } = type;
    const isAsked = live.store.database.overlay?.has(collection) === true;
    if (isAsked || (seeing.store.database.overlay?.get(collection) ?? null) === null) continue;
    store = hidingDrafts(store, collection, hidesDrafts(type, live) ? 'all' : await hiddenIds(type, [live, seeing]));
  }
  return { ...seeing, store };
}

/**
 * Returns the ids of the entries with drafts that the caller's rule hides in one of two contexts. Reads at most one more than the budget
 * allows.
 */
async function hiddenIds(type: ContentType, contexts: readonly [ContentContext, ContentContext]): Promise<readonly unknown[]> {
  const [live] = contexts;
  if (!updateMayBreakRule(type, [...type.attributes.keys()].filter(storedDraft.changes), live)) return [];
  const hidden = new Set<unknown>();
  for (const context of contexts) {
    const match = matchesAll(storedDraft.exists, matchesNone(await ruleFilter(type, context)));
    const left = live.bind.budget.remaining('idsResolved');
    const limit = left < Infinity ? { limit: left + 1 } : {};
    const rows = await findStored(context.store.database, type.collection, { match, fields: ['_id'], ...limit });
    for (const { _id } of rows) hidden.add(_id);
  }
  live.bind.budget.spend('idsResolved', hidden.size);
  return [...hidden];
}

/** Returns the context in which a plan, or groups, are read: with the drafts of the types that these reach if the query asks for them. */
export async function contextForRead(
  { showsDrafts }: Pick<Query, 'showsDrafts'>,
  read: Plan | readonly Aggregation[],
  context: ContentContext,
): Promise<ContentContext> {
  if (showsDrafts !== true || draftTypes(context.bind.registry).length === 0) return context;
  return withDrafts(context, 'condition' in read ? reachedTypes(read) : typesOfGroups(read));
}

/** Returns a match for an entry that is deleted, whose version, or that of the draft beside it, a delete accepts. */
export async function matchForDelete(key: EntryKey, { store }: ContentContext): Promise<Match> {
  const { type, id, expected, guard } = key;
  const match = matchExpectedEntry({ _id: id }, key);
  if (!keepsDrafts(type) || !Array.isArray(expected)) return match;
  const stored = await findFirst(store.database, type.collection, { _id: id });
  if (stored === null || storedDraft.of(stored) === null) return match;
  return expected.includes(entryVersion(storedDraft.inPlace(stored))) ? { ...storedDraft.same(stored), ...guard } : match;
}

/** Throws a ConflictError if an entry of a match has a draft beside it, so that its update must say which one it is for. */
export async function refuseBeside(type: ContentType, match: Match, { store }: ContentContext): Promise<void> {
  if (await isStored(store.database, type.collection, matchesAll(match, storedDraft.exists)))
    throw new ApiError(
      409,
      'ConflictError',
      'A draft is beside the published entry: status=draft changes the draft, status=published the entry',
    );
}

/** Returns a write with the values of the draft beside an entry, which becomes the entry by it. */
export function takingDraft(type: ContentType, stored: StoredDocument, write: EntryWrite): EntryWrite {
  const draft = storedDraft.of(stored);
  if (draft === null) return write;
  const links = Object.entries(storedDraft.links(draft)).flatMap(([name, ids]): readonly InverseLinks[] => {
    const link = type.attributes.get(name);
    return link?.kind === 'relation' || link?.kind === 'media' ? [{ link, input: { kind: 'set', ids } }] : [];
  });
  const exclusive = [...type.attributes.values()].flatMap((link) => {
    const target = draft[link.name];
    return 'exclusive' in link && link.exclusive && typeof target === 'number' ? [{ link, target }] : [];
  });
  return { values: { ...storedDraft.values(draft), ...write.values }, inverse: [...links, ...write.inverse], exclusive };
}

/** Returns the values of a draft that a write of it sets. What it changes of links that other entries store waits in the draft. */
export async function draftValuesOf(
  owner: { readonly type: ContentType; readonly id: number },
  stored: StoredDocument,
  { values, inverse }: EntryWrite,
  context: ContentContext,
): Promise<Values> {
  const draftLinks = storedDraft.links(storedDraft.of(stored) ?? {});
  const set: Record<string, unknown> = { ...values };
  for (const { link, input } of inverse) {
    const before = draftLinks[link.name] ?? (await linksInOrder(owner, link, context));
    const ids = applyLinkInput(before, input);
    Object.assign(set, storedDraft.settingLinks(link.name, link.many ? ids : ids.slice(-1)));
  }
  return set;
}

/** Returns the data of a new entry, which is a draft if its status says so. Throws a ValidationError for one with a date of publication. */
export function inStatusOf(data: unknown, status: Status | null): unknown {
  if (status !== 'draft' || !isRecord(data)) return data;
  if ((data['publishedAt'] ?? null) !== null) throw datedDraft();
  return { ...data, publishedAt: null };
}

const datedDraft = () => fieldErrors([{ path: ['publishedAt'], message: 'publishedAt is not a part of a draft' }]);
