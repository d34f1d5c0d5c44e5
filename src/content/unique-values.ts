import type { Values } from '#base/values.js';
import { isShared, uniquePaths, valuesAt } from '#model/schema/attribute-places.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { localeGroup, uniqueFields } from '#store/form/layout.js';
import type { StoredDocument } from '#store/form/loaded.js';
import { is, matchesAny } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import type { ContentContext } from './content-context.js';

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

/** Entries by id as other writes will leave them; null for those that are deleted. */
export type WrittenLater = ReadonlyMap<number, StoredDocument | null>;

/** A value that must be unique. */
export interface UniqueValue {
  readonly path: string[];
  /** The document field that has the index. */
  readonly field: string;
  /** The value in its stored form. */
  readonly value: unknown;
  /** Whether all locales of the entry have the value. */
  readonly isShared: boolean;
}

/** Returns the key of a value. Equal numbers have the same key, even if one is a BigInt to be stored and the other was read. */
export const keyOf = ({ field, value }: Pick<UniqueValue, 'field' | 'value'>): string =>
  `${field} ${typeof value === 'string' ? 'text' : 'value'} ${value instanceof Date ? value.toISOString() : String(value)}`;

/** Returns the values of a body that must be unique, without those that have no stored form. */
export function uniqueValues({ type, data }: UniqueWrite, { bind }: ContentContext): UniqueValue[] {
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
export async function takenValues(
  writtenValues: readonly UniqueValue[],
  write: UniqueWrite,
  { bind, store }: ContentContext,
  { database = { ...store.database, session: null }, later = new Map() }: Reading = {},
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
  const storedValues = asLater(rows, id, later).map(({ document, shares }) => ({
    document,
    shares,
    keys: new Set(keys(document)),
  }));
  const isTaken = (one: UniqueValue): boolean =>
    storedValues.some(
      ({ document, shares, keys: held }) => held.has(keyOf(one)) && !(shares && one.isShared) && counts(document, one, place),
    );
  return new Set(writtenValues.filter(isTaken));
}

interface Reading {
  readonly database?: Database;
  readonly later?: WrittenLater;
}

/** Returns the other entries as later writes leave them. `shares`: its shared values become those of another one of them. */
function asLater(rows: readonly StoredDocument[], id: number | null, later: WrittenLater) {
  const written = [...later].flatMap(([one, document]) => (document === null || one === id ? [] : [document]));
  const groups = new Set([...later.values()].flatMap((document) => (document === null ? [] : [localeGroup.of(document)])));
  const others = rows.filter(({ _id }) => !later.has(Number(_id)));
  return [
    ...written.map((document) => ({ document, shares: false })),
    ...others.map((document) => ({ document, shares: groups.has(localeGroup.of(document)) })),
  ];
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
