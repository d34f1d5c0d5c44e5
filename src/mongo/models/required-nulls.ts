import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { dottedPath, findPlaces, type AttributePlace } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';
import { inWriteTime } from '../calls.js';
import { readAll, runRead, type Database } from '../database.js';

/** A required attribute without a value in stored entries. */
export interface RequiredNulls {
  /** Path in entries, without positions in lists. */
  readonly attribute: string;
  /** The number of entries that have null or no value there. */
  readonly entries: number;
}

/** A document of `_required`: the required attributes of a type, by the keys of their places. */
interface CheckedType {
  /** The uid. */
  readonly _id: string;
  /** The attributes that were required at the last check of the type. */
  readonly required: readonly string[];
  /** Those of them without a value in stored entries at that time. */
  readonly lacking: readonly string[];
}

/** The places of a type without a value in stored entries, and the counts of these entries. */
interface Counted {
  readonly type: ContentType;
  readonly places: readonly AttributePlace[];
  readonly nulls: readonly RequiredNulls[];
}

type Report = (uid: string, nulls: readonly RequiredNulls[]) => Promise<void>;

/** Counts the entries that lack values which a change of the models made required, and calls `report` with each new count. */
export class RequiredChecks {
  readonly #database: Database;
  readonly #report: Report;
  /** Types with entries that lack required values, by uid. */
  readonly #lacking = new Map<string, Counted>();

  /** Whether a type of the database was checked before. */
  #isBegun = false;

  constructor(database: Database, report: Report) {
    this.#database = database;
    this.#report = report;
  }

  /**
   * Counts the entries without values in attributes that are required now and were not at the last check by any instance, and in
   * those that lacked values at that time. Sends one command for each such attribute. Counts nothing at the first check of a
   * database and in new collections. `stored` are the collections that are not new.
   */
  async check(types: readonly ContentType[], registry: Registry, stored: ReadonlySet<string>): Promise<void> {
    const isNew = ({ collection }: ContentType): boolean => !stored.has(collection);
    const checked = await this.#readChecked(types.filter((type) => !isNew(type)));
    this.#isBegun ||= checked.size > 0 || (await readAll(this.#database, { find: collections.required, limit: 1 })).length > 0;
    const isFirst = !this.#isBegun;
    const records: CheckedType[] = [];
    for (const type of types) {
      const places = findPlaces(type, registry, isRequiredValue);
      const required = places.map(keyOf);
      const before = checked.get(type.uid) ?? { _id: type.uid, required: isFirst || isNew(type) ? required : [], lacking: [] };
      const known = new Set(before.required.filter((key) => !before.lacking.includes(key)));
      const lacking = await this.#count(
        type,
        places.filter((place) => !known.has(keyOf(place))),
      );
      const record = { _id: type.uid, required, lacking };
      if (!isDeepStrictEqual(record, checked.get(type.uid))) records.push(record);
    }
    await this.#record(records);
  }

  /** Repeats the counts of the attributes that lacked values. */
  async recount(): Promise<void> {
    for (const { type, places } of [...this.#lacking.values()]) await this.#count(type, places);
  }

  /** Counts the entries without values at some places. Returns the keys of places with such entries. */
  async #count(type: ContentType, places: readonly AttributePlace[]): Promise<readonly string[]> {
    const counts: (RequiredNulls & { readonly place: AttributePlace })[] = [];
    for (const place of places) {
      const query = nullAt(place.steps, place.attribute.name);
      const entries = Number((await runRead(this.#database, { count: type.collection, query }))['n']);
      if (entries > 0) counts.push({ place, attribute: dottedPath(place), entries });
    }
    const nulls = counts.map(({ attribute, entries }) => ({ attribute, entries }));
    const found = counts.map(({ place }) => place);
    const before = this.#lacking.get(type.uid)?.nulls ?? [];
    if (found.length === 0) this.#lacking.delete(type.uid);
    else this.#lacking.set(type.uid, { type, places: found, nulls });
    if (!isDeepStrictEqual(nulls, before)) await this.#report(type.uid, nulls);
    return found.map(keyOf);
  }

  /** Returns the states of these types, by uid. */
  async #readChecked(types: readonly ContentType[]): Promise<ReadonlyMap<string, CheckedType>> {
    if (types.length === 0) return new Map();
    const filter = { _id: { $in: types.map(({ uid }) => uid) } };
    const rows = await readAll(this.#database, { find: collections.required, filter, batchSize: 100_000 });
    return new Map((rows as CheckedType[]).map((row) => [row._id, row])); // written by `#record`
  }

  async #record(records: readonly CheckedType[]): Promise<void> {
    if (records.length === 0) return;
    const operations = records.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }));
    const checked = this.#database.db.collection<CheckedType>(collections.required);
    await inWriteTime(this.#database, () => checked.bulkWrite(operations, { ordered: false }));
    this.#isBegun = true;
  }
}

/**
 * Returns whether stored nulls in an attribute would violate the model. Lists are never null, and GraphQL wraps a missing related
 * entry in a response that is not null.
 */
const isRequiredValue = (attribute: Attribute): attribute is Attribute =>
  attribute.required && (attribute.kind === 'scalar' || (attribute.kind === 'component' && !attribute.repeatable));

const keyOf = (place: AttributePlace): string => `${dottedPath(place)} ${place.steps.map(({ zone }) => zone ?? '').join(' ')}`;

/** Returns a match for entries that have the component at the end of the steps, and null in its attribute. */
function nullAt([step, ...rest]: AttributePlace['steps'], attribute: string): Document {
  if (step === undefined) return { [attribute]: null };
  const { name, list, zone } = step;
  const inner = { ...(zone !== null && { __component: zone }), ...nullAt(rest, attribute) };
  if (list) return { [name]: { $elemMatch: inner } };
  const below = Object.entries(inner).map(([key, value]) => [`${name}.${key}`, value as unknown]);
  return { [name]: { $ne: null }, ...(Object.fromEntries(below) as Document) };
}
