import type { Attribute, ContentType, ScalarAttribute, ScalarType } from './content-type.js';
import { mustNotBeNull, notOfType } from './findings.js';
import { boolean } from './scalars/flag.js';
import { jsons } from './scalars/json.js';
import { moments } from './scalars/moments.js';
import { numbers } from './scalars/numbers.js';
import { places } from './scalars/place.js';
import type { InputRules, Problem, ScalarRule } from './scalars/rule.js';
import { texts } from './scalars/texts.js';

/** The stored form of values, which decides how they are compared and indexed. */
export type Stored = ScalarRule['stored'];

/** The table of scalar attribute types: how each is stored, checked, compared, searched, shown and described. */
export const scalarTypes: Readonly<Record<ScalarType, ScalarRule>> = {
  ...texts,
  ...numbers,
  boolean,
  ...moments,
  ...jsons,
  ...places,
};

export const isScalarType = (type: string): type is ScalarType => Object.hasOwn(scalarTypes, type);

/** Returns the problems of the value of a scalar attribute. Null is allowed unless the attribute is required. */
export function scalarProblems(value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules): string[] {
  const { check, name } = scalarTypes[attribute.type];
  if (value !== null) return check(value, attribute, path, rules);
  if (!attribute.required || rules.draft) return [];
  if (name === undefined) return [mustNotBeNull(path, rules.mode)];
  return [notOfType(path, name, name === 'number' ? NaN : null, null)];
}

/** Returns the problems of the parts of a value. */
export const partProblems = (value: unknown, { type }: ScalarAttribute, path: string): readonly Problem[] =>
  Array.isArray(value) ? (scalarTypes[type].checkParts?.(value, path) ?? []) : [];

/** Returns the attributes in the full-text index of a type. Private ones are never in it, because everyone may search it. */
export const wordedAttributes = ({ attributes, collection }: ContentType): readonly ScalarAttribute[] =>
  collection === '' ? [] : [...attributes.values()].filter(hasWords);

const hasWords = (attribute: Attribute): attribute is ScalarAttribute =>
  attribute.kind === 'scalar' && attribute.search?.kind === 'language' && attribute.searchable && !attribute.private;

/** Entry ids are compared as numbers. */
export const idRule: ScalarRule = scalarTypes.decimal;
