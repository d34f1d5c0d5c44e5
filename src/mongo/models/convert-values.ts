import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { type AttributePlace, findPlaces } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '../../schema/content-type.js';
import { type ConvertedType, convertValue } from '../../schema/convert-value.js';
import { isRecord } from '../../values.js';
import { exactly } from '../form/matches.js';
import { matchAt } from '../form/match-at.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { typesWith } from '../send/field-moves.js';
import { unfitExpressions } from './unfit-match.js';

/** The values of an attribute that get another type. */
export interface ValueConversion {
  readonly uid: string;
  readonly attribute: string;
  readonly to: ConvertedType;
  /** The types before the conversion. */
  readonly registry: Registry;
  readonly database: Database;
}

/** What a conversion would do. */
export interface Survey {
  /** Entries whose values can be converted. */
  readonly convertible: number;
  /** Entries with values that cannot be converted, and some of them with the reason. */
  readonly unconvertible: number;
  readonly examples: readonly { readonly collection: string; readonly id: number; readonly reason: string }[];
}

/** Maximum number of entries with their reason. */
const mostExamples = 5;

/** Number of entries that are written at once. */
const batch = 500;

/** A field of the entries of a type, and the places of the attribute in it. */
interface Root {
  readonly type: ContentType;
  readonly field: string;
  readonly places: readonly AttributePlace[];
}

function rootsOf({ uid, attribute: name, registry }: ValueConversion): readonly Root[] {
  return typesWith(new Set([uid]), registry).flatMap((type) => {
    const isWanted = (attribute: Attribute): attribute is Attribute => attribute.name === name;
    const places = findPlaces(type, registry, isWanted).filter(({ holders }) => holders.at(-1)?.uid === uid);
    const fields = [...new Set(places.map(({ steps }) => steps[0]?.name ?? name))];
    return fields.map((field) => ({ type, field, places: places.filter(({ steps }) => (steps[0]?.name ?? name) === field) }));
  });
}

/** Counts the entries whose values can be converted, and those that cannot. Writes nothing. */
export async function surveyConversion(conversion: ValueConversion): Promise<Survey> {
  let convertible = 0;
  let unconvertible = 0;
  const examples: Survey['examples'][number][] = [];
  for (const root of rootsOf(conversion)) {
    const taken = new Map<string, number>();
    for await (const document of entriesOf(root, conversion)) {
      const { reasons, values } = converted(document, root, conversion.to);
      const twice = isUnique(root) ? duplicatesIn(values, document._id, taken) : [];
      const [reason] = [...reasons, ...twice];
      if (reason === undefined) convertible += 1;
      else unconvertible += 1;
      if (reason !== undefined && examples.length < mostExamples)
        examples.push({ collection: root.type.collection, id: Number(document._id), reason });
    }
  }
  return { convertible, unconvertible, examples };
}

const isUnique = ({ places }: Root): boolean => places.some(({ attribute }) => attribute.kind === 'scalar' && attribute.unique);

/** Returns the reasons why values cannot be unique, and remembers them. */
function duplicatesIn(values: readonly unknown[], id: unknown, taken: Map<string, number>): string[] {
  return values.flatMap((value) => {
    const key = String(value instanceof Date ? value.toISOString() : value);
    const other = taken.get(key);
    taken.set(key, other ?? Number(id));
    return other === undefined ? [] : [`the attribute is unique, and entry ${String(other)} has the value ${key} too`];
  });
}

type Entry = Document & { readonly _id: unknown };

function entriesOf({ type, field }: Root, { database }: ValueConversion, match: Document = {}) {
  const entries = database.db.collection<Entry>(type.collection);
  return entries.find(
    { $and: [{ [field]: { $ne: null } }, match] },
    { projection: { [field]: 1 }, sort: { _id: 1 }, batchSize: batch },
  );
}

interface Converted {
  readonly value: unknown;
  readonly reasons: readonly string[];
  /** The converted values that are not null. */
  readonly values: readonly unknown[];
}

/** Returns the field of an entry with converted values; null in place of those that cannot be converted. */
function converted(document: Document, { field, places }: Root, to: ConvertedType): Converted {
  const reasons: string[] = [];
  const values: unknown[] = [];
  const convert = (stored: unknown): unknown => {
    const result = convertValue(stored, to);
    if ('reason' in result) reasons.push(result.reason);
    else if (result.value !== null) values.push(result.value);
    return 'reason' in result ? null : result.value;
  };
  const value = places.reduce(
    (at, { steps, attribute }) => within({ [field]: at }, steps, attribute.name, convert)[field],
    document[field] as unknown,
  );
  return { value, reasons, values };
}

function within(
  record: Document,
  [step, ...rest]: AttributePlace['steps'],
  name: string,
  convert: (value: unknown) => unknown,
): Document {
  const change = (part: unknown): unknown =>
    isRecord(part) && (step?.zone == null || part['__component'] === step.zone) ? within(part, rest, name, convert) : part;
  if (step === undefined) return Object.hasOwn(record, name) ? { ...record, [name]: convert(record[name]) } : record;
  const value = record[step.name] as unknown;
  return { ...record, [step.name]: Array.isArray(value) ? value.map(change) : change(value) };
}

/** The field in which converted values wait until the model has the new type. */
const waiting = '_converted';

/**
 * Stores the converted values of all entries beside the present ones, so that nothing changes for readers. Each is stored only if the
 * entry still has the value that it was made of. May be repeated.
 */
export async function prepareConversion(conversion: ValueConversion): Promise<void> {
  for (const root of rootsOf(conversion)) {
    const { collection } = root.type;
    let open: AnyBulkWriteOperation[] = [];
    const send = async (): Promise<void> => {
      const operations = open;
      open = [];
      if (operations.length > 0)
        await inWriteTime(conversion.database, () =>
          conversion.database.db.collection(collection).bulkWrite(operations, { ordered: false }),
        );
    };
    for await (const document of entriesOf(root, conversion)) {
      const from = document[root.field] as unknown;
      const { value } = converted(document, root, conversion.to);
      if (isDeepStrictEqual(from, value)) continue;
      const filter = { _id: document._id as never, [root.field]: exactly(from) };
      open.push({ updateOne: { filter, update: { $set: { [`${waiting}.${root.field}`]: { from, to: value } } } } });
      if (open.length === batch) await send();
    }
    await send();
  }
}

/**
 * Replaces values by the converted ones, after the model has the new type. Entries that were written meanwhile keep what was written.
 */
export async function finishConversion(conversion: ValueConversion): Promise<void> {
  const { database } = conversion;
  for (const { type, field } of rootsOf(conversion)) {
    const at = `${waiting}.${field}`;
    const isSame = { $eq: [`$${field}`, `$${at}.from`] };
    const pipeline = [{ $set: { [field]: { $cond: [isSame, `$${at}.to`, `$${field}`] } } }, { $unset: waiting }];
    await inWriteTime(database, () => database.db.collection(type.collection).updateMany({ [at]: { $exists: true } }, pipeline));
  }
}

/**
 * Converts what instances have written in the former type before they heard of the new one. Values that cannot be converted become
 * null. Returns the number of entries that were changed.
 */
export async function convertLate(conversion: ValueConversion): Promise<number> {
  let changed = 0;
  const { to, database, attribute: name } = conversion;
  const unfit = unfitExpressions(to.type);
  for (const root of unfit.length === 0 ? [] : rootsOf(conversion)) {
    const matches = root.places.flatMap(({ steps }) => unfit.map((expression) => matchAt(steps, { [name]: expression })));
    for await (const document of entriesOf(root, conversion, { $or: matches })) {
      const { value } = converted(document, root, to);
      const filter = { _id: document._id, [root.field]: exactly(document[root.field]) };
      const entries = database.db.collection<Entry>(root.type.collection);
      const { modifiedCount } = await inWriteTime(database, () => entries.updateOne(filter, { $set: { [root.field]: value } }));
      changed += modifiedCount;
    }
  }
  return changed;
}

/** Returns the different values of a scalar attribute as text, in order, at most one more than `most`. */
export async function storedTexts(conversion: ValueConversion, most: number): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const root of rootsOf(conversion))
    for await (const document of entriesOf(root, conversion)) {
      for (const value of converted(document, root, { type: 'string', enum: [] }).values) found.add(String(value));
      if (found.size > most) return [...found].sort();
    }
  return [...found].sort();
}

/** Returns the scalar attribute that a conversion changes; null if there is none. */
export function scalarAt({
  uid,
  attribute,
  registry,
}: Pick<ValueConversion, 'uid' | 'attribute' | 'registry'>): ScalarAttribute | null {
  const found = registry.types.get(uid)?.attributes.get(attribute);
  return found?.kind === 'scalar' ? found : null;
}
