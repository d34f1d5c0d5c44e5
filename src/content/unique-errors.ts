import { ApiError, fieldErrors, type FieldError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { DuplicateKey } from '../mongo/driver-errors.js';
import { isGroupField, uniqueField, uniqueNames } from '../mongo/layout.js';
import { matchesAny, oneOf, otherThan } from '../mongo/matches.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { uniquePaths, valuesAt } from '../schema/attribute-places.js';
import { castInput } from './build-parts.js';
import type { ContentContext } from './content-context.js';

const notUnique = (path: readonly string[]): FieldError => ({
  path,
  message: 'This attribute must be unique',
  code: 'not-unique',
});

/** Thrown if another write created the entry of the same group and locale first. */
const localeTaken = (): ApiError => new ApiError(400, 'ApplicationError', 'locale is already used', {}, {}, [], 'locale-taken');

/** The written values; `id` is the entry's own on an update, null on a create. */
interface UniqueWrite {
  readonly type: ContentType;
  readonly data: Values;
  readonly id: number | null;
}

/**
 * Returns an error for each value of a body that another entry has, in the order of the attributes. Called only after a problem
 * was found.
 */
export async function uniqueErrors(write: UniqueWrite, context: ContentContext): Promise<FieldError[]> {
  const sent = await uniqueValues(write, context);
  const taken = await takenValues(sent, write, context);
  return sent.filter((value) => taken.has(keyOf(value))).map(({ path }) => notUnique(path));
}

/**
 * Runs a write. Throws a ValidationError that lists all values that are taken if a unique index refuses it: the index decides,
 * so that of many writers with one value exactly one wins.
 */
export async function orUniqueError<Result>(
  write: UniqueWrite,
  context: ContentContext,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    if (isGroupField(error.fields[0] ?? '')) throw localeTaken();
    throw fieldErrors(await refusedValues(error, write, context));
  }
}

/** The value that the index names is reported even if its owner cannot be read: it may be uncommitted, or deleted again. */
async function refusedValues(
  { fields, value }: DuplicateKey,
  write: UniqueWrite,
  context: ContentContext,
): Promise<FieldError[]> {
  const sent = await uniqueValues(write, context);
  const taken = await takenValues(sent, write, context);
  const named = fields.map((field) => keyOf({ field, value: value[field] }));
  const refused = sent.filter((one) => taken.has(keyOf(one)) || named.includes(keyOf(one)));
  if (refused.length > 0) return refused.map(({ path }) => notUnique(path));
  const elsewhere = await takenElsewhere(sent, write, context);
  if (elsewhere.length > 0) return elsewhere.map(({ path }) => notUnique(path));
  const [field = ''] = fields;
  return [notUnique(uniqueNames(field))];
}

/** Returns the values that all locales share and an entry of any locale has. */
async function takenElsewhere(sent: readonly UniqueValue[], write: UniqueWrite, context: ContentContext): Promise<UniqueValue[]> {
  const { attributes } = write.type;
  const shared = sent.filter(({ path: [name = ''] }) => attributes.get(name)?.localized === false);
  const taken = await takenValues(shared, write, context, 'of any locale');
  return shared.filter((value) => taken.has(keyOf(value)));
}

interface UniqueValue {
  readonly path: string[];
  /** The document field that has the index. */
  readonly field: string;
  /** As it is stored. */
  readonly value: unknown;
}

const keyOf = ({ field, value }: Omit<UniqueValue, 'path'>): string =>
  `${field} ${typeof value} ${value instanceof Date ? value.toISOString() : String(value)}`;

/** The values of a body that must be unique; those that have no stored form are left out. */
async function uniqueValues({ type, data }: UniqueWrite, { bind }: ContentContext): Promise<UniqueValue[]> {
  const paths = uniquePaths(type, bind.registry).filter(({ attribute }) => attribute.type !== 'password');
  const placed = paths.flatMap((path) => valuesAt(data, path.names).map(({ place, value }) => ({ path, place, value })));
  const values = await Promise.all(
    placed.map(async ({ path, place, value }) => ({
      path: [...place],
      field: uniqueField(path),
      value: typeof value === 'object' ? null : await castInput(path.attribute, value).catch(() => null),
    })),
  );
  return values.filter(({ value }) => value !== null);
}

/** The keys of the values that another entry has, in its locale if the type is localized and not any is asked for. One command; outside a transaction, which may be lost. */
async function takenValues(
  sent: readonly UniqueValue[],
  { type, data, id }: UniqueWrite,
  { bind, store }: ContentContext,
  entries: 'of its locale' | 'of any locale' = 'of its locale',
): Promise<ReadonlySet<string>> {
  if (sent.length === 0) return new Set();
  const database = { ...store.database, session: null };
  const fields = [...new Set(sent.map(({ field }) => field))];
  const held = fields.map((field) => ({ [field]: oneOf(sent.filter((one) => one.field === field).map(({ value }) => value)) }));
  const locale = async (): Promise<unknown> => {
    if (id === null) return data['locale'] ?? bind.defaultLocale;
    const own = { find: type.collection, filter: { _id: id }, projection: { locale: 1 }, limit: 1 };
    return (await readAll(database, own))[0]?.['locale'];
  };
  const filter = {
    ...matchesAny(...held),
    ...(type.localized && entries === 'of its locale' && { locale: await locale() }),
    ...(id !== null && { _id: otherThan(id) }),
  };
  const projection = Object.fromEntries(fields.map((field) => [field, 1]));
  const rows = await readAll(database, { find: type.collection, filter, projection, batchSize: 1_000_000 });
  return new Set(
    rows.flatMap((row) => fields.flatMap((field) => valuesAt(row, field.split('.')).map(({ value }) => keyOf({ field, value })))),
  );
}
