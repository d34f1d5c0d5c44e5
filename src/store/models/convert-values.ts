import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { isUnique } from '#model/schema/attribute-places.js';
import type { ConvertedType } from '#model/schema/convert-value.js';
import { is, matchAt, matchesAny } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { converted, entriesOf, type Entry, rootsOf, type ValueConversion } from './converted-entries.js';
import { refuseRenamedAttributes } from './copy-fields.js';
import { unfitMatches } from './unfit-rules.js';
import { eachReply } from '../stored.js';

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

/** Counts the entries whose values can be converted, and those that cannot. Writes nothing. */
async function surveyConversion(conversion: ValueConversion): Promise<Survey> {
  let convertible = 0;
  let unconvertible = 0;
  const examples: Survey['examples'][number][] = [];
  for (const root of rootsOf(conversion)) {
    const taken = new Map<string, number>();
    for await (const document of entriesOf(root, conversion)) {
      const { reasons, values } = converted(document, root, conversion.to);
      const twice = root.places.some(({ attribute }) => isUnique(attribute)) ? duplicatesIn(values, document._id, taken) : [];
      const [reason] = [...reasons, ...twice];
      if (reason === undefined) convertible += 1;
      else unconvertible += 1;
      if (reason !== undefined && examples.length < mostExamples)
        examples.push({ collection: root.type.collection, id: Number(document._id), reason });
    }
  }
  return { convertible, unconvertible, examples };
}

/** Returns the reasons why values cannot be unique, and remembers them. */
function duplicatesIn(values: readonly unknown[], id: unknown, taken: Map<string, number>): string[] {
  return values.flatMap((value) => {
    const key = String(value instanceof Date ? value.toISOString() : value);
    const other = taken.get(key);
    taken.set(key, other ?? Number(id));
    return other === undefined ? [] : [`the attribute is unique, and entry ${String(other)} has the value ${key} too`];
  });
}

/**
 * The field in which converted values wait until the model has the new type, by field: the value before, the value after, and the
 * new type. A command that was interrupted may have left some of another type.
 */
const waiting = '_converted';

/**
 * Stores the converted values of all entries beside the present ones, so that nothing changes for readers. Each is stored only if the
 * entry still has the value that it was made of. What another conversion has left is removed first. May be repeated.
 */
async function prepareConversion(conversion: ValueConversion): Promise<void> {
  const { database, to } = conversion;
  const left = { [waiting]: { $exists: true } };
  const roots = rootsOf(conversion);
  for (const { collection } of new Set(roots.map(({ type }) => type)))
    await inWriteTime(database, () => database.db.collection(collection).updateMany(left, { $unset: { [waiting]: '' } }));
  for (const root of roots) {
    const { collection } = root.type;
    const operationsFor = (document: Entry): AnyBulkWriteOperation[] => {
      const from = document[root.field] as unknown;
      const { value } = converted(document, root, to);
      if (isDeepStrictEqual(from, value)) return [];
      const filter = { _id: document._id as never, [root.field]: is.exactly(from) };
      const update = { $set: { [`${waiting}.${root.field}`]: { from, to: value, type: to.type } } };
      return [{ updateOne: { filter, update } }];
    };
    await eachReply(entriesOf(root, conversion), async (documents) => {
      const operations = documents.flatMap(operationsFor);
      if (operations.length > 0)
        await inWriteTime(database, () => database.db.collection(collection).bulkWrite(operations, { ordered: false }));
    });
  }
}

/**
 * Replaces values by the converted ones, after the model has the new type, by one command for each collection. Entries that were
 * written meanwhile keep what was written.
 */
async function finishConversion(conversion: ValueConversion): Promise<void> {
  const { database, to } = conversion;
  const roots = rootsOf(conversion);
  for (const type of new Set(roots.map((root) => root.type))) {
    const values = roots.filter((root) => root.type === type).map(({ field }) => [field, finished(field, to)] as const);
    const pipeline = [{ $set: Object.fromEntries(values) }, { $unset: waiting }];
    const entries = database.db.collection(type.collection);
    await inWriteTime(database, () => entries.updateMany({ [waiting]: { $exists: true } }, pipeline));
  }
}

/** Returns the expression of a field with the value that waits, if it was made of the present one. */
function finished(field: string, { type }: ConvertedType): Document {
  const at = `$${waiting}.${field}`;
  const isMade = { $and: [{ $eq: [`${at}.type`, type] }, { $eq: [`$${field}`, `${at}.from`] }] };
  return { $cond: [isMade, `${at}.to`, `$${field}`] };
}

/**
 * Converts what instances have written in the former type before they heard of the new one. Values that cannot be converted become
 * null. Returns the number of entries that were changed.
 */
async function convertLate(conversion: ValueConversion): Promise<number> {
  let changed = 0;
  const { to, database, attribute: name } = conversion;
  const unfit = unfitMatches(to.type, name);
  for (const root of unfit.length === 0 ? [] : rootsOf(conversion)) {
    const match = matchesAny(...root.places.map(({ steps }) => matchAt(steps, ...unfit)));
    for await (const document of entriesOf(root, conversion, match)) {
      const { value } = converted(document, root, to);
      const filter = { _id: document._id, [root.field]: is.exactly(document[root.field]) };
      const entries = database.db.collection<Entry>(root.type.collection);
      const { modifiedCount } = await inWriteTime(database, () => entries.updateOne(filter, { $set: { [root.field]: value } }));
      changed += modifiedCount;
    }
  }
  return changed;
}

/** Returns the different values of a scalar attribute as text, in order, at most one more than `most`. */
async function storedTexts(conversion: ValueConversion, most: number): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const root of rootsOf(conversion))
    for await (const document of entriesOf(root, conversion)) {
      for (const value of converted(document, root, { type: 'string', enum: [] }).values) found.add(String(value));
      if (found.size > most) return [...found].sort();
    }
  return [...found].sort();
}

/** The steps of a conversion, in their order. */
export const conversions = {
  refuseMoved: refuseRenamedAttributes,
  storedTexts,
  survey: surveyConversion,
  prepare: prepareConversion,
  finish: finishConversion,
  convertLate,
};
