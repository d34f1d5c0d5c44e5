import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { dottedPath, findPlaces, type AttributePlace } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { is, matchAt } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { countDocuments } from '../send/read-commands.js';
import { unfitMatches } from './unfit-rules.js';
import { findStored, isStored } from '../stored.js';
import type { FoundViolations, Violations } from './model-states.js';
import type { ModelWork } from './model-status.js';

/** A document of `_required`: the rules of a type that were checked, by their keys. */
interface CheckedType {
  /** The uid. */
  readonly _id: string;
  /** The rules that the model had at the last check of the type. */
  readonly required: readonly string[];
  /** Those of them that stored entries violated at that time. */
  readonly lacking: readonly string[];
}

/** A rule of one attribute that stored entries may violate. */
interface Rule {
  readonly key: string;
  readonly attribute: string;
  readonly list: keyof FoundViolations;
  /** Finds the entries that violate it. */
  readonly query: Document;
}

/** The rules of a type that stored entries violate. */
interface Violated {
  readonly type: ContentType;
  readonly rules: readonly Rule[];
}

/**
 * Counts the entries with values that a change of the models made null or too few, and those with values that other programs had
 * stored before. Reports and logs each new count.
 */
export class RequiredChecks {
  readonly #input: ModelWork;
  /** Types with entries that violate rules, by uid. */
  readonly #violated = new Map<string, Violated>();

  /** Whether a type of the database was checked before. */
  #isBegun = false;

  constructor(input: ModelWork) {
    this.#input = input;
  }

  /**
   * Counts the entries that violate rules which were not in force at the last check by any instance, and those that were violated
   * at that time. Sends one command for each such rule. Counts nothing in new collections, and no nulls at the first check of a
   * database. `stored` are the collections that are not new.
   */
  async check(types: readonly ContentType[], registry: Registry, stored: ReadonlySet<string>): Promise<void> {
    const isNew = ({ collection }: ContentType): boolean => !stored.has(collection);
    const checked = await this.#readChecked(types.filter((type) => !isNew(type)));
    this.#isBegun ||= checked.size > 0 || (await isStored(this.#input.database, collections.required));
    const isFirst = !this.#isBegun;
    const records: CheckedType[] = [];
    for (const type of types) {
      const rules = rulesOf(type, registry);
      const isKnown = ({ list }: Rule): boolean => isNew(type) || (isFirst && list === 'requiredNulls');
      const before: Omit<CheckedType, '_id'> = checked.get(type.uid) ?? {
        required: rules.filter(isKnown).map(({ key }) => key),
        lacking: [],
      };
      const provenKeys = new Set(before.required.filter((key) => !before.lacking.includes(key)));
      const openRules = rules.filter(({ key }) => !provenKeys.has(key));
      const record = { _id: type.uid, required: rules.map(({ key }) => key), lacking: await this.#count(type, openRules) };
      if (!isDeepStrictEqual(record, checked.get(type.uid))) records.push(record);
    }
    await this.#record(records);
  }

  /** Repeats the counts of the rules that were violated. */
  async recount(): Promise<void> {
    for (const { type, rules } of [...this.#violated.values()]) await this.#count(type, rules);
  }

  /** Counts the entries that violate some rules. Returns the keys of the rules with such entries. */
  async #count(type: ContentType, rules: readonly Rule[]): Promise<readonly string[]> {
    const { database, jobs, status } = this.#input;
    const violated: (Rule & Violations)[] = [];
    for (const rule of rules) {
      const entries = await countDocuments(type.collection, database, { query: rule.query });
      if (entries > 0) violated.push({ ...rule, entries });
    }
    const listed = (wanted: keyof FoundViolations): readonly Violations[] =>
      violated.flatMap(({ list, attribute, entries }) => (list === wanted ? [{ attribute, entries }] : []));
    const [requiredNulls, unfitValues] = [listed('requiredNulls'), listed('unfitValues')];
    if (violated.length === 0) this.#violated.delete(type.uid);
    else this.#violated.set(type.uid, { type, rules: violated });
    if (await status.set(type.uid, { requiredNulls, unfitValues })) {
      const unfit = { kind: 'entries unfit', uid: type.uid } as const;
      for (const violation of requiredNulls) jobs.observer.observe({ ...unfit, problem: 'null', ...violation });
      for (const violation of unfitValues) jobs.observer.observe({ ...unfit, problem: 'type', ...violation });
    }
    return violated.map(({ key }) => key);
  }

  /** Returns the states of these types, by uid. */
  async #readChecked(types: readonly ContentType[]): Promise<ReadonlyMap<string, CheckedType>> {
    if (types.length === 0) return new Map();
    const match = { _id: is.oneOf(types.map(({ uid }) => uid)) };
    const rows = await findStored(this.#input.database, collections.required, { match });
    return new Map((rows as CheckedType[]).map((row) => [row._id, row])); // written by `#record`
  }

  async #record(records: readonly CheckedType[]): Promise<void> {
    if (records.length === 0) return;
    const operations = records.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }));
    const { database } = this.#input;
    const checked = database.db.collection<CheckedType>(collections.required);
    await inWriteTime(database, () => checked.bulkWrite(operations, { ordered: false }));
    this.#isBegun = true;
  }
}

/**
 * Returns whether stored nulls in an attribute would violate the model. Lists are never null, and GraphQL wraps a missing related
 * entry in a response that is not null.
 */
const isRequiredValue = (attribute: Attribute): attribute is Attribute =>
  attribute.required && (attribute.kind === 'scalar' || (attribute.kind === 'component' && !attribute.repeatable));

const isScalar = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar';

const rulesOf = (type: ContentType, registry: Registry): readonly Rule[] => [
  ...findPlaces(type, registry, isRequiredValue).map((place): Rule => {
    const query = matchAt(place.steps, { [place.attribute.name]: null });
    return { key: keyOf(place), attribute: dottedPath(place), list: 'requiredNulls', query };
  }),
  ...findPlaces(type, registry, isScalar).flatMap(typeRule),
];

function typeRule(place: AttributePlace<ScalarAttribute>): readonly Rule[] {
  const { steps, attribute } = place;
  const unfit = unfitMatches(attribute.type, attribute.name);
  const key = `${keyOf(place)} ${attribute.type}`;
  return unfit.length === 0 ? [] : [{ key, attribute: dottedPath(place), list: 'unfitValues', query: matchAt(steps, ...unfit) }];
}

const keyOf = (place: AttributePlace): string => `${dottedPath(place)} ${place.steps.map(({ zone }) => zone ?? '').join(' ')}`;
