import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { dottedPath, findPlaces, type AttributePlace } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';
import { inWriteTime } from '../calls.js';
import { readAll, runRead, type Database } from '../database.js';

/** A required attribute that stored entries lack. */
export interface RequiredNulls {
  /** Path in entries, without positions in lists. */
  readonly attribute: string;
  /** The number of entries that have null or no value there. */
  readonly entries: number;
}

/** The state of the required attributes of a type, by the keys of their places, in `_required`. */
interface CheckedType {
  /** The uid. */
  readonly _id: string;
  /** Those that were required when the type was checked last. */
  readonly required: readonly string[];
  /** Those that stored entries lacked then. */
  readonly lacking: readonly string[];
}

/** The places of a type that entries may lack, and how many do. */
interface Counted {
  readonly type: ContentType;
  readonly places: readonly AttributePlace[];
  readonly nulls: readonly RequiredNulls[];
}

type Report = (uid: string, nulls: readonly RequiredNulls[]) => Promise<void>;

/** Counts the entries that lack what changes of the models have made required, and calls `report` with each new count. */
export class RequiredChecks {
  readonly #database: Database;
  readonly #report: Report;
  /** Types whose entries lack something, by uid. */
  readonly #lacking = new Map<string, Counted>();

  /** Whether any types of the database were checked. */
  #isBegun = false;

  constructor(database: Database, report: Report) {
    this.#database = database;
    this.#report = report;
  }

  /**
   * Counts what is required now and was not when any instance checked these types last, and what was lacking then. Sends one command
   * for each such attribute. The first check of a database counts nothing, nor is there anything to count in a new collection. `stored`:
   * the collections that are not new.
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

  /** Counts again what was lacking. */
  async recount(): Promise<void> {
    for (const { type, places } of [...this.#lacking.values()]) await this.#count(type, places);
  }

  /** Returns the keys of the places that entries lack. */
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

/** Lists are never null, and GraphQL wraps a missing related entry in a response that is not null. */
const isRequiredValue = (attribute: Attribute): attribute is Attribute =>
  attribute.required && (attribute.kind === 'scalar' || (attribute.kind === 'component' && !attribute.repeatable));

const keyOf = (place: AttributePlace): string => `${dottedPath(place)} ${place.steps.map(({ zone }) => zone ?? '').join(' ')}`;

/** Matches entries that have the component at the end of the steps, and null in its attribute. */
function nullAt([step, ...rest]: AttributePlace['steps'], attribute: string): Document {
  if (step === undefined) return { [attribute]: null };
  const { name, list, zone } = step;
  const inner = { ...(zone !== null && { __component: zone }), ...nullAt(rest, attribute) };
  if (list) return { [name]: { $elemMatch: inner } };
  const below = Object.entries(inner).map(([key, value]) => [`${name}.${key}`, value as unknown]);
  return { [name]: { $ne: null }, ...(Object.fromEntries(below) as Document) };
}
