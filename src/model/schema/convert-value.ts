import type { ScalarType, ScalarAttribute } from './content-type.js';
import type { AttributeDefinition } from './model.js';
import { scalarTypes } from './scalar-types.js';
import { type Conversion, type Convert, convertedValue, conversionFailure } from './scalars/conversions.js';

/** The type of an attribute, and the values of an enumeration. */
export type ConvertedType = Parameters<Convert>[1];

/** The types that values can be converted to. */
export const convertible = (Object.keys(scalarTypes) as readonly ScalarType[]).filter(
  (type) => scalarTypes[type].convert !== undefined,
);

/** Converts a stored value to the stored form of another type. Null stays null. */
export function convertValue(value: unknown, to: ConvertedType): Conversion {
  if (value === null || value === undefined) return convertedValue(null);
  return scalarTypes[to.type].convert?.(value, to) ?? conversionFailure(`nothing is converted to ${to.type}`);
}

/** Keys of definitions that every scalar type has, and those that types of one stored form share. */
const common: ReadonlySet<string> = new Set([
  'required',
  'private',
  'writable',
  'visible',
  'configurable',
  'pluginOptions',
  'index',
  'renamedFrom',
]);

const ofForm: Readonly<Record<string, readonly string[]>> = {
  text: ['minLength', 'maxLength', 'regex', 'searchable', 'collation'],
  number: ['min', 'max'],
};

/** Returns the definition of an attribute with its new type, without the keys that this type does not have. */
export function convertedDefinition(
  scalar: ScalarAttribute,
  definition: AttributeDefinition,
  to: ConvertedType,
): AttributeDefinition {
  const [from, now] = [scalarTypes[scalar.type], scalarTypes[to.type]];
  const same = from.search === now.search ? (ofForm[now.search] ?? []) : [];
  const isKept = (key: string): boolean => common.has(key) || same.includes(key) || (key === 'unique' && now.uniqueAllowed);
  const entries = Object.entries(definition).filter(([key]) => isKept(key));
  return { type: to.type, ...(to.type === 'enumeration' && { enum: to.enum }), ...Object.fromEntries(entries) };
}
