import { isDeepStrictEqual } from 'node:util';
import { ApiError, fieldErrors } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { Attribute, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { is, type Match } from '#store/form/matches.js';
import { kindOf, type NamedAttributes } from './pushed-attributes.js';
import type { PushWrite, SetValue } from './read-push.js';

/** What a write demands of an attribute: the value that its client has read. */
export interface Demand {
  /** The name that the write uses. */
  readonly name: string;
  readonly attribute: Attribute;
  readonly from: unknown;
  /** The related entries of which it matters whether they are linked; all if absent. */
  readonly among?: readonly unknown[];
}

/** Returns what a write demands; nothing if the last writer of the type wins. */
export function demandsOf({ set }: PushWrite, named: NamedAttributes, lastWins: boolean): readonly Demand[] {
  if (lastWins) return [];
  return [...named].flatMap(([name, attribute]) => {
    const value: SetValue = set[name] ?? {};
    return 'from' in value ? [{ name, attribute, from: value.from }] : [];
  });
}

/** Returns whether a command can compare a value as it is stored. All others are compared as the caller sees them. */
export const isPlain = ({ attribute }: Demand): boolean => kindOf(attribute) === 'scalar';

/** Returns what the stored values of an entry must be, for the demands that a command can compare. */
export const heldBy = (demands: readonly Demand[]): Match =>
  Object.fromEntries(
    demands.filter(isPlain).map(({ name, attribute, from }) => {
      const stored = storedForm(attribute as ScalarAttribute, from, name); // is plain
      return [attribute.name, stored === null ? null : is.shownAs(stored)];
    }),
  ) as Match;

/** Returns the stored form of a value that a client has read. Throws a ValidationError that names it if it has none. */
function storedForm({ type }: ScalarAttribute, from: unknown, name: string): unknown {
  if (from === null) return null;
  const stored = isRecord(from) || Array.isArray(from) ? NaN : formOrNaN(type, from, name);
  if (typeof stored === 'number' && !Number.isFinite(stored))
    throw fieldErrors([{ path: [name, 'from'], message: `${name}.from is no value of ${name}` }]);
  return stored;
}

/** Returns the stored form of a value; NaN if it has none. */
function formOrNaN(type: ScalarAttribute['type'], from: unknown, name: string): unknown {
  try {
    return scalarTypes[type].store(from, name);
  } catch (error) {
    if (error instanceof ApiError) return NaN; // it does not name the value
    throw error;
  }
}

/** Returns the names of the attributes that have another value now. `shown` are the values of the entry as the caller sees them. */
export const changedNames = (demands: readonly Demand[], shown: Values): readonly string[] =>
  demands.filter((demand) => !isSame(demand, shown[demand.attribute.name])).map(({ name }) => name);

function isSame({ name, attribute, from }: Demand, shown: unknown): boolean {
  if (kindOf(attribute) !== 'scalar')
    return isDeepStrictEqual(asJson(pushedForm(attribute, shown)), asJson(listed(attribute, from)));
  const { type } = attribute as ScalarAttribute; // by its kind
  const stored = storedForm(attribute as ScalarAttribute, from, name);
  return isDeepStrictEqual(asJson(stored === null ? null : scalarTypes[type].output(stored)), asJson(shown ?? null));
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

/** No files are null in a copy and an empty list in a write. */
const listed = (attribute: Attribute, value: unknown): unknown => (kindOf(attribute) === 'many' ? (value ?? []) : value);

/** Returns a value as clients push it: ids in place of related entries. */
export function pushedForm(attribute: Attribute, shown: unknown): unknown {
  const idOf = (item: unknown): unknown => (isRecord(item) ? item['id'] : item);
  switch (kindOf(attribute)) {
    case 'one':
      return idOf(shown) ?? null;
    case 'many':
      return Array.isArray(shown) ? shown.map(idOf) : [];
    default:
      return shown ?? null;
  }
}

/** Returns the values of a body that a write sets, and the relations that it adds to and removes from. */
export const bodyOf = ({ set, add, remove }: PushWrite): Values => ({
  ...Object.fromEntries(Object.entries(set).map(([name, { to }]) => [name, to])),
  ...Object.fromEntries(
    [...new Set([...Object.keys(add), ...Object.keys(remove)])].map((name) => [
      name,
      { connect: unique(add[name]), disconnect: unique(remove[name]) },
    ]),
  ),
});

const unique = (ids: PushWrite['add'][string] = []): readonly (number | string)[] => [...new Set(ids)];

/** Returns whether a write needs the entry as it is before it is written. */
export const needsEntry = ({ increment }: PushWrite, demands: readonly Demand[]): boolean =>
  Object.keys(increment).length > 0 || demands.some((demand) => !isPlain(demand));
