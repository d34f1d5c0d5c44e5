import type { Document } from 'mongodb';
import { type AttributePlace, placesNamed } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { alsoInDrafts } from '#model/schema/drafts-beside.js';
import { type ConvertedType, convertValue } from '#model/schema/convert-value.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord } from '#base/values.js';
import type { Database } from '../send/database.js';
import { typesWith } from '../send/field-moves.js';

/** The values of an attribute that get another type. */
export interface ValueConversion {
  readonly uid: string;
  readonly attribute: string;
  readonly to: ConvertedType;
  /** The types before the conversion. */
  readonly registry: Registry;
  readonly database: Database;
}

/** Number of entries that are read and written at once. */
const batch = 500;

/** A field of the entries of a type, and the places of the attribute in it. */
interface Root {
  readonly type: ContentType;
  readonly field: string;
  readonly places: readonly AttributePlace[];
}

/** Returns the fields of entries that hold the attribute. */
export function rootsOf({ uid, attribute: name, registry }: ValueConversion): readonly Root[] {
  return typesWith(new Set([uid]), registry).flatMap((type) => {
    const places = alsoInDrafts(type, placesNamed(type, registry, { uid, names: [name] }));
    const fields = [...new Set(places.map(({ steps }) => steps[0]?.name ?? name))];
    return fields.map((field) => ({ type, field, places: places.filter(({ steps }) => (steps[0]?.name ?? name) === field) }));
  });
}

/** An entry as it is stored. */
export type Entry = Document & { readonly _id: unknown };

/** Returns a cursor over the entries of a match that have a field, in the order of ids, with that field only. */
export function entriesOf({ type, field }: Root, { database }: ValueConversion, match: Document = {}) {
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
export function converted(document: Document, { field, places }: Root, to: ConvertedType): Converted {
  const reasons: string[] = [];
  const values: unknown[] = [];
  const convert = (stored: unknown): unknown => {
    const result = convertValue(stored, to);
    if ('reason' in result) reasons.push(result.reason);
    else if (result.value !== null) values.push(result.value);
    return 'reason' in result ? null : result.value;
  };
  const value = places.reduce(
    (at, { steps, attribute }) =>
      within({ [field]: at }, steps, attribute.name, (stored) => convert(plainPlace(stored, attribute)))[field],
    document[field] as unknown,
  );
  return { value, reasons, values };
}

/** Returns a stored point as answers have it; other values unchanged. */
const plainPlace = (stored: unknown, attribute: Attribute): unknown =>
  attribute.kind === 'scalar' && attribute.type === 'point' ? (scalarTypes.point.output(stored) ?? stored) : stored;

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
