import { isDeepStrictEqual } from 'node:util';
import { forbiddenError, missingActions } from '#base/errors.js';
import { changeMany, changeOne } from '#store/write/compile-change.js';
import { linkRanks, localeGroup } from '#store/form/layout.js';
import { is, matchesAll, matchesAny } from '#store/form/matches.js';
import type { Document } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { actionOf, allows } from '#model/query/access.js';
import type { LinkChild, Selection } from '#model/query/plan.js';
import { applyLinkInput } from '#model/schema/apply-link-input.js';
import { isShared } from '#model/schema/attribute-places.js';
import { draftField, keepsDrafts } from '#model/schema/drafts-beside.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { parseLinkInput } from '#model/schema/link-input.js';
import { hasParts, uidOfPart } from '#model/schema/parts.js';
import { type Values, isRecord, mapValues } from '#base/values.js';
import { completeCopies } from './build-write.js';
import { isPublished, refuseIncomplete } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { copyValues } from './copy-values.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { hidesOne, keepingRules, ruleFilter } from './rules-on-writes.js';

/** Returns the attributes among the names that have one value for all locales of an entry. */
export function sharedNames(type: ContentType, names: readonly string[]): string[] {
  if (!type.localized) return [];
  return names.filter((name) => isShared(type.attributes.get(name)));
}

/** Returns the names of all attributes that have one value for all locales of an entry. */
export const sharedAttributes = (type: ContentType): string[] => sharedNames(type, [...type.attributes.keys()]);

/**
 * Returns a stored entry of the localization group that a create joins by the `localizations` of its data; null if these name no
 * entry that the caller may see. Throws a ForbiddenError unless the caller may update or localize entries of the type.
 */
export async function findGroupToJoin(
  type: ContentType,
  localizations: unknown,
  context: ContentContext,
): Promise<StoredDocument | null> {
  const { bind, store } = context;
  const input = parseLinkInput(localizations, type.uid);
  const ids = input === null ? [] : applyLinkInput([], input);
  if (ids.length === 0) return null;
  const actions = ['update', 'createLocalization'].map((action) => actionOf(type, action));
  if (!actions.some((action) => allows(bind.access, action))) throw missingActions(actions);
  const filter = matchesAll({ _id: is.oneOf(ids) }, await ruleFilter(type, context));
  const [entry] = await findStored(store.database, type.collection, { match: filter, sort: { _id: 1 }, limit: 1 });
  return entry ?? null;
}

/** Returns the names of shared attributes that have a value in an entry of a group. A new entry of the group need not send them. */
export const heldNames = (type: ContentType, source: StoredDocument): ReadonlySet<string> =>
  new Set(sharedAttributes(type).filter((name) => (source[name] ?? null) !== null));

/** A write of values that all locales of an entry share. */
interface SharedWrite {
  readonly type: ContentType;
  /** The stored entry whose locales share the values, before the write. */
  readonly source: StoredDocument;
  /** The values that are written, by attribute. */
  readonly values: Values;
}

/**
 * Throws a ForbiddenError if a value that all locales share is to change, and the caller's rule hides one of the locales.
 * A component that is written as a new one counts as changed.
 */
export async function refuseHiddenLocales({ type, source, values }: SharedWrite, context: ContentContext): Promise<void> {
  if (!context.bind.access.rules.has(type.uid)) return;
  const isChanged = (name: string): boolean => !isDeepStrictEqual(source[name] ?? null, values[name] ?? null);
  const changed = sharedNames(type, Object.keys(values)).find(isChanged);
  const all = matchesAny({ _id: source['_id'] }, localeGroup.match(localeGroup.of(source)));
  if (changed !== undefined && (await hidesOne(type, all, context)))
    throw forbiddenError(`${changed} has one value for all locales of the entry, and you may not change all of them`);
}

/** The other locales of an entry to which values are copied, and the rows of the children of a selection that show them. */
interface OtherLocales {
  readonly stored: readonly StoredDocument[];
  readonly rows: ReadonlyMap<LinkChild, readonly StoredDocument[]>;
}

/** Reads the other locales of a stored entry that the caller's rule shows, inside its transaction: what is copied and what is shown. */
export async function readLocales(
  type: ContentType,
  entry: StoredDocument,
  { names, selection }: { readonly names: readonly string[]; readonly selection: Selection | null },
  context: ContentContext,
): Promise<OtherLocales> {
  const match = matchesAll(localeGroup.others(entry), await ruleFilter(type, context));
  const children = selection === null || context.bind.access.rules.has(type.uid) ? [] : localesIn(selection);
  const shown = children.flatMap((child) => child.selection.fields.map(({ name }) => name));
  const fields = [
    '_id',
    'publishedAt',
    ...names,
    ...(children.length > 0 ? [localeGroup.field, linkRanks.path(linkRanks.order), ...shown] : []),
  ];
  const stored = await findStored(context.store.database, type.collection, { match, fields });
  const rows = [entry, ...stored]; // the order of the others depends on the whole group
  return { stored, rows: new Map(children.map((child) => [child, rows])) };
}

/** Returns the children of a selection that show values of all other locales. */
const localesIn = ({ children, locales }: Selection): LinkChild[] =>
  [...children, locales].filter(
    (child): child is LinkChild =>
      child?.kind === 'link' &&
      child.link.storage.kind === 'localizations' &&
      child.condition === null &&
      child.sort.length === 0 &&
      child.selection.children.length === 0,
  );

interface NewLocale {
  /** The entry from which it was made. */
  readonly source: StoredDocument;
  /** The names of the attributes that its data has. */
  readonly givenNames: readonly string[];
}

/**
 * Copies the shared values that the data of a new entry has to the other locales, inside its transaction. Marks all of them as
 * changed, because each lists all others, and moves the source behind the new entry in the order of the group.
 */
export async function shareValues(
  type: ContentType,
  entry: StoredDocument,
  { source, givenNames }: NewLocale,
  context: ContentContext,
): Promise<void> {
  const rank = Number(linkRanks.of(entry, linkRanks.order)) - 1;
  const place = { [linkRanks.path(linkRanks.order)]: rank, [localeGroup.field]: localeGroup.of(source) };
  const others = [changeOne({ _id: source['_id'] }, { set: place })];
  const names = sharedNames(type, givenNames);
  if (names.length > 0) return syncLocales(type, entry, { names, others, marksAll: true }, context);
  const filter = matchesAll(localeGroup.others(entry), await ruleFilter(type, context));
  await keepingRules({ type, names: ['updatedAt'], filter }, context, async () => {
    const touch = changeMany(filter, { set: { updatedAt: new Date() } });
    await bulkWrite(context.store, type.collection, [touch, ...others]);
  });
}

interface Copying extends Partial<Pick<OtherLocales, 'stored'>> {
  readonly names: readonly string[];
  /** Further operations of the same command. */
  readonly others?: readonly Document[];
  /** Whether locales that have the values already are marked as changed too. */
  readonly marksAll?: boolean;
}

/**
 * Copies the shared values of a stored entry to its other locales, inside its transaction. Components are copied with new ids. Throws a
 * ForbiddenError if the caller's rule hides one of them afterwards.
 */
export async function syncLocales(
  type: ContentType,
  entry: StoredDocument,
  { names, others = [], marksAll = false, ...read }: Copying,
  context: ContentContext,
): Promise<void> {
  const stored = read.stored ?? (await readLocales(type, entry, { names, selection: null }, context)).stored;
  const { store, bind } = context;
  const locales = stored.filter(
    (other) => marksAll || names.some((name) => !hasSame(type.attributes.get(name), [entry[name], other[name]], bind.registry)),
  );
  if (!isPublished(entry) && locales.some(isPublished)) refuseIncomplete(type, entry, context, names);
  const copies = await Promise.all(
    locales.map(async ({ _id }) => {
      const values: Record<string, unknown> = { ...(await copyValues(type, entry, names, context)), updatedAt: new Date() };
      completeCopies(type, values, bind.registry);
      // a draft beside another locale has the shared values that were published last
      const stale = keepsDrafts(type) ? { unset: names.map((name) => `${draftField}.${name}`) } : {};
      return changeOne({ _id }, { set: values, ...stale });
    }),
  );
  const changed = { type, names, filter: { _id: is.oneOf(locales.map(({ _id }) => _id)) } };
  const operations = [...copies, ...others];
  if (operations.length === 0) return;
  await keepingRules(changed, context, async () => {
    await bulkWrite(store, type.collection, operations);
  });
}

/** Returns whether two stored values of an attribute are the same but for the ids of components. */
function hasSame(attribute: Attribute | undefined, [one, other]: readonly [unknown, unknown], registry: Registry): boolean {
  const [first, second] = [one, other].map((value) => withoutIds(attribute, value ?? null, registry));
  return isDeepStrictEqual(first, second);
}

/** Returns a stored value without the ids of components. */
function withoutIds(attribute: Attribute | undefined, value: unknown, registry: Registry): unknown {
  if (!hasParts(attribute)) return value;
  if (Array.isArray(value)) return value.map((part) => withoutIds(attribute, part, registry));
  if (!isRecord(value)) return value;
  const type = registry.types.get(uidOfPart(attribute, value));
  return mapValues(value, (inner, name) => (name === 'id' ? null : withoutIds(type?.attributes.get(name), inner, registry)));
}
