import { type ApiError, ApplicationError, fieldErrors, type FieldError } from '#base/errors.js';
import { isStored } from '#store/stored.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { localeGroup, uniqueFields } from '#store/form/layout.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { Values } from '#base/values.js';
import { type UniquePath, valuesAt } from '#model/schema/attribute-places.js';
import type { ContentContext } from './content-context.js';
import { keyOf, takenValues, type UniqueValue, uniqueValues, type UniqueWrite, type WrittenLater } from './unique-values.js';
import { maximumErrors, mustBeUnique } from '#model/schema/findings.js';

const notUnique = (path: readonly string[]): FieldError => ({
  path,
  message: mustBeUnique,
  code: 'not-unique',
});

/** Returns the error for a group and locale whose entry another write has created first. */
export const localeTakenError = (): ApiError => new ApplicationError('locale is already used', {}, { code: 'locale-taken' });

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
 * Returns an error for each unique value of a body that another entry has, in the order of the attributes, or will have after the writes
 * that are carried out together with this one. Called only after a problem was found, or before a write that is yet to come.
 */
export async function uniqueErrors(
  write: UniqueWrite,
  context: ContentContext,
  later: WrittenLater = new Map(),
): Promise<FieldError[]> {
  const writtenValues = uniqueValues(write, context);
  const taken = await takenValues(writtenValues, write, context, { later });
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
  const taken = await takenValues(writtenValues, write, context, { database: context.store.database });
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
