import { type ApiError, ApplicationError, fieldErrors, type FieldError } from '#base/errors.js';
import type { Database } from '#store/send/database.js';
import { findStored, isStored } from '#store/stored.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { localeGroup, uniqueFields } from '#store/form/layout.js';
import { is, matchesAny } from '#store/form/matches.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { Values } from '#base/values.js';
import { isShared, type UniquePath, uniquePaths, valuesAt } from '#model/schema/attribute-places.js';
import type { ContentContext } from './content-context.js';
import { maximumErrors, mustBeUnique } from '#model/schema/findings.js';

const notUnique = (path: readonly string[]): FieldError => ({
  path,
  message: mustBeUnique,
  code: 'not-unique',
});

/** Returns the error for a group and locale whose entry another write has created first. */
export const localeTakenError = (): ApiError => new ApplicationError('locale is already used', {}, { code: 'locale-taken' });

/** The values of a write. `id` is null on a create. `group` is the localization group that a new entry joins. */
export interface UniqueWrite {
  readonly type: ContentType;
  readonly data: Values;
  readonly id: number | null;
  readonly group?: number | null;
  /** Whether several stored entries get the values, which may have them already: only the index can tell. */
  readonly ofSeveral?: true;
  /** Names of generated uids, which the client did not send. */
  readonly generated?: readonly string[];
}

/** Returns an error for each unique value that a body repeats in one place, such as a list of components. No index finds these. */
export const repeatedErrors = (write: UniqueWrite, context: ContentContext): FieldError[] =>
  repeatedIn(uniqueValues(write, context).filter(isPlaced))
    .slice(0, maximumErrors)
    .map(({ path }) => notUnique(path));

/** Returns whether a value is that of its attribute, and not an item of a list that was sent for it, which another check refuses. */
const isPlaced = ({ path }: UniqueValue): boolean => !/^\d+$/.test(path.at(-1) ?? '');

/**
 * Throws a DuplicateKey if lists of components that an update writes have a value twice, because a component keeps its own. Values that
 * the stored entry repeats, such as defaults, may stay.
 */
export function refuseRepeats(listed: readonly UniquePath[], written: Values, stored: StoredDocument): void {
  for (const path of listed) {
    const field = uniqueFields.field(path);
    const repeatsOf = (values: Values) => repeatedIn(valuesAt(values, path).map(({ value }) => ({ field, value })));
    const storedKeys = new Set(repeatsOf(stored).map(keyOf));
    const repeated = repeatsOf(written).find((value) => !storedKeys.has(keyOf(value)));
    if (repeated !== undefined) throw new DuplicateKey([field], { [field]: repeated.value });
  }
}

function repeatedIn<Value extends Pick<UniqueValue, 'field' | 'value'>>(values: readonly Value[]): Value[] {
  const keys = new Set<string>();
  return values.filter((value) => keys.size === keys.add(keyOf(value)).size);
}

/**
 * Returns an error for each unique value of a body that another entry has, in the order of the attributes. Called only after a
 * problem was found.
 */
export async function uniqueErrors(write: UniqueWrite, context: ContentContext): Promise<FieldError[]> {
  const writtenValues = uniqueValues(write, context);
  const taken = await takenValues(writtenValues, write, context);
  return writtenValues.filter((value) => taken.has(value)).map(({ path }) => notUnique(path));
}

/**
 * Returns the error of a write that a unique index has refused: a ValidationError that lists all values that are taken. If only
 * generated values are taken, its code is `uid-taken`. The value that the index names is reported even if its owner cannot be read,
 * because that write is not committed yet or the owner was deleted again.
 */
export async function refusedError(
  { fields, value }: DuplicateKey,
  write: UniqueWrite,
  context: ContentContext,
): Promise<ApiError> {
  if (localeGroup.isField(fields[0] ?? '') || (await isLocaleTaken(write, context))) return localeTakenError();
  const writtenValues = uniqueValues(write, context);
  const taken = await takenValues(writtenValues, write, context);
  const named = fields.map((field) => keyOf({ field, value: value[field] }));
  const refused = writtenValues.filter((one) => taken.has(one) || named.includes(keyOf(one)));
  return takenError(refused, write) ?? fieldErrors([notUnique(fields.slice(0, 1).flatMap(uniqueFields.names))]);
}

/** Throws the error of values that another entry has, of which the open transaction knows. */
export async function refuseTaken(write: UniqueWrite, context: ContentContext): Promise<void> {
  if (write.ofSeveral === true) return;
  const writtenValues = uniqueValues(write, context);
  const taken = await takenValues(writtenValues, write, context, context.store.database);
  const error = takenError([...taken], write);
  if (error !== null) throw error;
}

/** Returns the error of values that are taken: first those that the client sent; null if there are none. */
function takenError(taken: readonly UniqueValue[], { generated = [] }: UniqueWrite): ApiError | null {
  const isGenerated = ({ path: [name = ''] }: UniqueValue): boolean => generated.includes(name);
  const [uid] = taken.filter(isGenerated);
  const clientValues = taken.filter((one) => !isGenerated(one));
  if (clientValues.length > 0) return fieldErrors(clientValues.map(({ path }) => notUnique(path)));
  return uid === undefined ? null : fieldErrors([{ ...notUnique(uid.path), code: 'uid-taken' }]);
}

/** Returns whether another write has created the entry of a group and locale first. It has the shared values of the group too. */
const isLocaleTaken = async ({ type, data, id, group = null }: UniqueWrite, { bind, store }: ContentContext): Promise<boolean> =>
  id === null &&
  group !== null &&
  (await isStored({ ...store.database, session: null }, type.collection, {
    ...localeGroup.match(group),
    locale: data['locale'] ?? bind.defaultLocale,
  }));

interface UniqueValue {
  readonly path: string[];
  /** The document field that has the index. */
  readonly field: string;
  /** The value in its stored form. */
  readonly value: unknown;
  /** Whether all locales of the entry have the value. */
  readonly isShared: boolean;
}

/** Returns the key of a value. Equal numbers have the same key, even if one is a BigInt to be stored and the other was read. */
const keyOf = ({ field, value }: Pick<UniqueValue, 'field' | 'value'>): string =>
  `${field} ${typeof value === 'string' ? 'text' : 'value'} ${value instanceof Date ? value.toISOString() : String(value)}`;

/** Returns the values of a body that must be unique, without those that have no stored form. */
function uniqueValues({ type, data }: UniqueWrite, { bind }: ContentContext): UniqueValue[] {
  const paths = uniquePaths(type, bind.registry).filter(({ attribute }) => attribute.type !== 'password');
  const placed = paths.flatMap((path) => valuesAt(data, path).map(({ place, value }) => ({ path, place, value })));
  return placed
    .map(({ path, place, value }) => ({
      path: [...place],
      field: uniqueFields.field(path),
      value: storedValue(path.attribute, value),
      isShared: isShared(type.attributes.get(path.names[0] ?? '')),
    }))
    .filter(({ value }) => value !== null);
}

function storedValue({ type, name }: ScalarAttribute, value: unknown): unknown {
  if (typeof value === 'object') return null;
  try {
    return scalarTypes[type].store(value, name);
  } catch {
    return null;
  }
}

/**
 * Returns the values that another entry has. In a localized type only entries of the same locale count; for a value that all locales
 * of an entry share, those of all other entries in any locale. By default reads outside the transaction, which an error may have ended.
 */
async function takenValues(
  writtenValues: readonly UniqueValue[],
  write: UniqueWrite,
  { bind, store }: ContentContext,
  database: Database = { ...store.database, session: null },
): Promise<ReadonlySet<UniqueValue>> {
  if (writtenValues.length === 0) return new Set();
  const { type, id } = write;
  const fields = [...new Set(writtenValues.map(({ field }) => field))];
  const place = type.localized ? await placeOf(write, bind.defaultLocale, database) : null;
  const others = id === null ? {} : { _id: is.otherThan(id) };
  const valuesOf = (field: string): unknown[] => writtenValues.filter((one) => one.field === field).map(({ value }) => value);
  const match = { ...matchesAny(...fields.map((field) => ({ [field]: is.oneOf(valuesOf(field)) }))), ...others };
  const rows = await findStored(database, type.collection, { match, fields: [...fields, 'locale', localeGroup.field] });
  const keys = (document: StoredDocument): string[] =>
    fields.flatMap((field) => valuesAt(document, { names: field.split('.') }).map(({ value }) => keyOf({ field, value })));
  const storedValues = rows.map((document) => ({ document, keys: new Set(keys(document)) }));
  return new Set(
    writtenValues.filter((one) => storedValues.some((row) => row.keys.has(keyOf(one)) && counts(row.document, one, place))),
  );
}

/** The locale and the localization group of a written entry. */
interface Place {
  readonly locale: unknown;
  /** Null if the entry starts a group of its own. */
  readonly group: number | null;
}

/** Returns whether another entry must not have a value. */
function counts(other: StoredDocument, value: UniqueValue, place: Place | null): boolean {
  if (place === null) return true;
  return value.isShared ? localeGroup.of(other) !== place.group : other['locale'] === place.locale;
}

async function placeOf({ type, data, id, group = null }: UniqueWrite, defaultLocale: string, database: Database): Promise<Place> {
  const [entry] = id === null ? [] : await findStored(database, type.collection, { match: { _id: id } });
  return entry === undefined
    ? { locale: data['locale'] ?? defaultLocale, group }
    : { locale: entry['locale'], group: localeGroup.of(entry) };
}
