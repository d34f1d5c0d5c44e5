import { missingActions } from '#base/errors.js';
import type { LoadedEntry, RelatedEntries } from '#store/form/loaded.js';
import { seeingNone } from '#store/read/draft-overlay.js';
import { readEntry } from '#store/read/read-entry.js';
import { actionOf } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import { bindRule } from '#model/query/bind-filter.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { allOf } from '#model/query/conditions.js';
import { findsOwn, hasId, ownAccess } from '#model/query/entry-access.js';
import { distancePath, type LentSelection } from '#model/query/plan.js';
import { reachedTypes } from '#model/query/reached-types.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type ContentContext, withAccess } from './content-context.js';
import { withDrafts } from './drafts.js';
import { markTexts } from './mark-texts.js';
import { planOf, readWithHooks } from './surrounded-reads.js';

/**
 * Returns the context with the rights of the caller alone, for what counts entries of a type. Throws a ForbiddenError if the caller may
 * read nothing of the type but the entry of somebody else.
 */
export function ownContext(type: ContentType, context: ContentContext): ContentContext {
  const { access } = context.bind;
  if (access.entry === undefined) return context;
  if (!findsOwn(access, type.uid)) throw missingActions([actionOf(type, 'find')]);
  return withAccess(context, ownAccess(access));
}

/**
 * Returns the entry that the caller reads by the rights of somebody else, if it is the one with the id; null if it is gone, and undefined
 * for any other entry. Throws a ForbiddenError if the caller may not read others of the type.
 */
export async function findLent(
  type: ContentType,
  id: number,
  query: Query,
  context: ContentContext,
): Promise<LoadedEntry | null | undefined> {
  const { bind } = context;
  const { entry } = bind.access;
  if (entry?.uid !== type.uid) return undefined;
  if (entry.id !== id) {
    if (!findsOwn(bind.access, type.uid, 'findOne')) throw missingActions([actionOf(type, 'findOne')]);
    return undefined;
  }
  const selection = bindEntrySelection(query, type, { ...bind, access: { ...bind.access, entry: { ...entry, isRoot: true } } });
  const own = withAccess({ ...context, store: seeingNone(context.store) }, entry.access);
  const plan = planOf(allOf([hasId(id), ...bindRule(type, own.bind)]), selection);
  const lentEntry = await readWithHooks({ query, plan, id }, await withDrafts(own, reachedTypes(plan)));
  return lentEntry === null || entry.mark === undefined ? lentEntry : markTexts(lentEntry, entry.mark);
}

/**
 * Puts the entry that the caller reads by the rights of somebody else in the place of the same entry as the caller may read it, among
 * entries that were read by a query and those that they populate. It is left out if it is gone.
 */
export async function placeLent(
  entries: readonly LoadedEntry[],
  query: Query,
  context: ContentContext,
): Promise<readonly LoadedEntry[]> {
  const { entry } = context.bind.access;
  if (entry === undefined) return entries;
  const own = withAccess({ ...context, store: seeingNone(context.store) }, entry.access);
  const place = placing(async ({ condition, selection }) => {
    const { store } = await withDrafts(own, reachedTypes(planOf(condition, selection)));
    return readEntry(condition, selection, store.database);
  });
  const placeTop = placing(async ({ id, condition, selection }) => {
    const plan = planOf(condition, selection);
    return readWithHooks({ query, plan, id }, await withDrafts(own, reachedTypes(plan)));
  }, place);
  const placed = await placeTop(entries);
  const { mark } = entry;
  return mark === undefined ? placed : placed.map((one) => markTexts(one, mark));
}

type Place = (entries: readonly LoadedEntry[]) => Promise<readonly LoadedEntry[]>;

/** Returns a function that reads the entry once for each selection. `inner` does the same for populated entries. */
function placing(read: (lent: LentSelection) => Promise<LoadedEntry | null>, inner?: Place): Place {
  const reads = new Map<LentSelection, Promise<LoadedEntry | null>>();
  const placed = new Map<LoadedEntry, Promise<LoadedEntry | null>>();
  const placeAll: Place = async (entries) => (await Promise.all(entries.map(placeOne))).filter((one) => one !== null);
  const placeInner = inner ?? placeAll;
  const placeRelated = (related: RelatedEntries): Promise<RelatedEntries> | number =>
    typeof related === 'number' ? related : placeInner(related);

  async function place(one: LoadedEntry): Promise<LoadedEntry | null> {
    const { lent } = one.selection;
    if (lent === undefined || lent.id !== one.document['_id'])
      return { ...one, children: await Promise.all(one.children.map(placeRelated)) };
    const reading = reads.get(lent) ?? read(lent);
    reads.set(lent, reading);
    const entry = await reading;
    const distance = one.document[distancePath]; // of lists that are near to a place
    return entry === null || distance === undefined
      ? entry
      : { ...entry, document: { ...entry.document, [distancePath]: distance } };
  }

  function placeOne(one: LoadedEntry): Promise<LoadedEntry | null> {
    const placement = placed.get(one) ?? place(one);
    placed.set(one, placement);
    return placement;
  }
  return placeAll;
}
