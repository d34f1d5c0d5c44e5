import type { Document } from 'mongodb';
import { type AttributePlace, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { collections } from '#model/schema/collections.js';
import { draftField, keepsDrafts } from '#model/schema/drafts-beside.js';
import { hasDraft } from '../form/draft.js';
import { is, uidOf } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, forJob, inScope } from '../send/database.js';
import { findStored } from '../stored.js';
import { wipeValues } from './wipe-values.js';

/** Values that a type must not keep: hashes where it has no password any more, and other values where it has one now. */
interface Wipe {
  readonly type: ContentType;
  readonly place: AttributePlace;
  /** The names from the entry to the value, as documents have them: perhaps a former name. */
  readonly names: readonly string[];
  readonly kind: keyof typeof wipes;
}

const hash = '^\\$2[abxy]?\\$\\d\\d\\$[./A-Za-z0-9]{53}$';
const isHash = (value: string): Document => ({
  $cond: [{ $eq: [{ $type: value }, 'string'] }, { $regexMatch: { input: value, regex: hash } }, false],
});

/** Which values are removed: hashes and other values of entries, and all values of versions, which never have passwords. */
const wipes = {
  hashes: { isWiped: isHash, becomes: 'other' },
  texts: { isWiped: (value: string): Document => ({ $not: [isHash(value)] }), becomes: 'password' },
  versions: { isWiped: (): boolean => true, becomes: 'password' },
} as const;

const isPassword = (attribute: Attribute): attribute is ScalarAttribute =>
  attribute.kind === 'scalar' && attribute.type === 'password';
const isAny = (attribute: Attribute): attribute is Attribute =>
  attribute.kind !== 'component' && attribute.kind !== 'dynamiczone';

/** Returns the text by which a place is recorded. */
const keyOf = ({ steps }: Pick<AttributePlace, 'steps'>, names: readonly string[]): string =>
  names
    .map((name, at) => (steps[at]?.zone === undefined || steps[at].zone === null ? name : `${name}[${steps[at].zone}]`))
    .join('.');

/** Returns the names of a place, and all that it had before attributes on its way were renamed. */
function namesOf({ steps, holders, attribute }: AttributePlace): readonly (readonly string[])[] {
  const path = [...steps.map(({ name }) => name), attribute.name];
  return path.reduce<readonly (readonly string[])[]>(
    (above, name, at) => {
      const former = [...(holders[at]?.aliases ?? [])].flatMap(([alias, served]) => (served === name ? [alias] : []));
      return above.flatMap((names) => [name, ...former].map((one) => [...names, one]));
    },
    [[]],
  );
}

const keysIn = (type: ContentType | undefined, registry: Registry): ReadonlySet<string> =>
  new Set(
    type === undefined
      ? []
      : findPlaces(type, registry, isPassword).map((place) =>
          keyOf(place, [...place.steps.map(({ name }) => name), place.attribute.name]),
        ),
  );

/**
 * Removes the hashes of attributes that are no passwords any more, so that nobody reads them, and the texts of attributes that are
 * passwords now, also from versions, so that no backup has them. What is a password is recorded beside the name of the collection,
 * because models change while nobody serves them, and the attribute may be removed, and added again as another one later. Call it
 * before the types are served. There is no time limit. Returns a function that removes what instances with the former models have
 * written meanwhile, given the models in force then.
 */
export async function settlePasswords(
  types: readonly ContentType[],
  registry: Registry,
  database: Database,
): Promise<((now: Registry) => Promise<void>) | null> {
  const stored = types.filter(({ kind }) => kind !== 'component');
  const recorded = await readRecord(stored, database);
  const wipes: Wipe[] = [];
  const late: Wipe[] = [];
  const records: (readonly [collection: string, keys: readonly string[]])[] = [];
  for (const type of stored) {
    const before = recorded.get(type.collection) ?? null;
    const now = keysIn(type, registry);
    const own = wipesOf(type, { before, now }, registry);
    wipes.push(...own);
    if (before !== null) late.push(...own);
    const wiped = new Set(own.map(({ place, names }) => keyOf(place, names)));
    const keys = [...new Set([...(before ?? []).filter((key) => !wiped.has(key)), ...now])].sort();
    if (keys.join() !== before?.join()) records.push([type.collection, keys]);
  }
  await runWipes(wipes, database);
  await writeRecord(records, database);
  if (late.length === 0) return null;
  return (now) =>
    runWipes(
      late.filter((wipe) => isMeant(now, wipe)),
      forJob(database, 'password completion'),
    );
}

/** Returns whether a place still has an attribute with such values in the models in force now. */
function isMeant(now: Registry, { type, place, names, kind }: Wipe): boolean {
  const present = now.types.get(type.uid);
  const key = keyOf(place, names);
  const isThere = (one: AttributePlace): boolean => namesOf(one).some((path) => keyOf(one, path) === key);
  const isSuch = ({ attribute }: AttributePlace): boolean => isPassword(attribute) === (wipes[kind].becomes === 'password');
  return present !== undefined && findPlaces(present, now, isAny).some((one) => isThere(one) && isSuch(one));
}

interface Keys {
  /** The keys of places that were passwords. Null if none are recorded, so that all values may be hashes of another kind. */
  readonly before: readonly string[] | null;
  readonly now: ReadonlySet<string>;
}

function wipesOf(type: ContentType, { before, now }: Keys, registry: Registry): readonly Wipe[] {
  const former = new Set(before);
  const isChanged = [...former].some((key) => !now.has(key)) || [...now].some((key) => !former.has(key));
  if (!isChanged) return [];
  return findPlaces(type, registry, isAny).flatMap((place): readonly Wipe[] => {
    const all = namesOf(place);
    const wasPassword = all.some((names) => former.has(keyOf(place, names)));
    if (wasPassword === isPassword(place.attribute)) return [];
    const added = before === null ? (['versions'] as const) : (['texts', 'versions'] as const);
    const kinds = wasPassword ? (['hashes'] as const) : added;
    return kinds.flatMap((kind) => all.map((names) => ({ type, place, names, kind })));
  });
}

/** Removes values in one pass over the entries of each type, and one over its versions. */
async function runWipes(found: readonly Wipe[], database: Database): Promise<void> {
  for (const type of new Set(found.map((one) => one.type))) {
    const [versions, entries] = [true, false].map((isOld) =>
      found
        .filter((one) => one.type === type && (one.kind === 'versions') === isOld)
        .map(({ place, names, kind }) => ({ steps: place.steps, names, isWiped: wipes[kind].isWiped })),
    );
    const match = { uid: uidOf(type) };
    await wipeValues({ collection: type.collection, values: entries ?? [] }, database);
    const inDrafts = { collection: type.collection, within: draftField, match: hasDraft };
    if (keepsDrafts(type)) await wipeValues({ ...inDrafts, values: entries ?? [] }, database);
    for (const { name } of [...database.ownCollections.values()].filter(({ hasEntries }) => hasEntries))
      for (const within of ['document', `document.${draftField}`])
        await wipeValues({ collection: name, within, match, values: entries ?? [] }, database);
    await wipeValues({ collection: collections.history, within: 'entry', match, values: versions ?? [] }, database);
  }
}

interface Recorded {
  readonly _id: string;
  readonly passwords: readonly string[];
}

/** Reads the places of passwords, by collection. */
async function readRecord(types: readonly ContentType[], database: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  if (types.length === 0) return new Map();
  const match = { _id: is.oneOf(types.map(({ collection }) => collection)), passwords: { $exists: true } };
  const rows = await findStored(database, collections.servedCollections, { match, fields: ['passwords'] });
  return new Map((rows as unknown as readonly Recorded[]).map(({ _id, passwords }) => [_id, passwords])); // written below
}

async function writeRecord(
  records: readonly (readonly [collection: string, keys: readonly string[]])[],
  database: Database,
): Promise<void> {
  if (records.length === 0) return;
  const operations = records.map(([_id, passwords]) => ({ updateOne: { filter: { _id }, update: { $set: { passwords } } } }));
  const served = database.db.collection<Recorded>(collections.servedCollections);
  await inWriteTime(database, () => served.bulkWrite(operations, inScope(database)));
}
