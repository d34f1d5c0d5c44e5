import { type Operator, operators, takesOperator } from '#model/query/operators.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { hasJsonPaths } from '#model/schema/json-options.js';
import { scalarTypes, type Stored } from '#model/schema/scalar-types.js';
import type { Components } from './components.js';
import { anything, flag, listOf, oneOf, record, text, type Schema } from '#http/json-schema.js';

export function answerSchema({ type, enum: values }: ScalarAttribute): Schema {
  return type === 'enumeration' ? { type: 'string', enum: values } : (scalarTypes[type].schema?.answer ?? anything);
}

/**
 * Returns the schema of an attribute value in a body, with its validation rules. Defaults are mentioned only in descriptions,
 * because code generators treat attributes with a default as required.
 */
export function scalarInput(attribute: ScalarAttribute): Schema {
  const { type, min, max, minLength, maxLength, default: initial } = attribute;
  const value = scalarTypes[type].schema?.input ?? answerSchema(attribute);
  if (value === anything) return value;
  return {
    ...value,
    ...(typeof min === 'number' && { minimum: min }),
    ...(typeof max === 'number' && { maximum: max }),
    ...(minLength !== null && { minLength }),
    ...(maxLength !== null && { maxLength }),
    ...patternOf(attribute),
    ...(isPlain(initial) && { description: `${String(initial)} by default` }),
  };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Returns the `pattern` of an attribute, if it is valid with the flag `u`, which JSON Schema uses. */
function patternOf({ regex }: ScalarAttribute): Schema {
  if (regex === null || regex.flags !== '') return {};
  try {
    return { pattern: new RegExp(regex.source, 'u').source };
  } catch {
    return {};
  }
}

const degrees: Schema = { type: 'number' };
const placeSchema = record({ lng: degrees, lat: degrees });

/** The operand of `$within`. */
const shapeSchema: Schema = oneOf([
  record({ circle: record({ lng: degrees, lat: degrees, radius: degrees }) }),
  { ...record({ box: oneOf([text, listOf(degrees)]) }), description: 'west,south,east,north' },
  { ...record({ polygon: oneOf([text, listOf(placeSchema)]) }), description: 'lng,lat;lng,lat;…' },
]);

/** The operand of `$near`, in filters of lists. */
const nearSchema: Schema = record({ lng: degrees, lat: degrees, maxDistance: degrees, minDistance: degrees }, ['lng', 'lat']);

/** Schemas of operands, by the stored form of the value. */
const operands: Readonly<Record<Stored, { readonly name: string; readonly value: Schema }>> = {
  text: { name: 'TextFilter', value: text },
  number: { name: 'NumberFilter', value: { type: ['number', 'string'] } },
  date: { name: 'DateTimeFilter', value: text },
  boolean: { name: 'BooleanFilter', value: flag },
  json: { name: 'JsonFilter', value: text },
  point: { name: 'PointFilter', value: shapeSchema },
  link: { name: 'IdFilter', value: { type: 'integer' } },
};

/** Returns the schema of a condition on values of a stored form: the value itself, or operators. */
export function conditionSchema(stored: Stored, components: Components): Schema {
  const { name, value } = operands[stored];
  const filter = (): Schema => components.named(name, () => operatorsSchema(stored, { value, whole: value, self: filter() }));
  return stored === 'point' ? filter() : { anyOf: [value, filter()] };
}

/** Returns the schema of a condition on an attribute. For an enumeration, operands that are whole values must be in its list. */
export function scalarCondition(attribute: ScalarAttribute, type: ContentType, components: Components): Schema {
  const { stored } = scalarTypes[attribute.type];
  if (hasJsonPaths(attribute, type)) return { anyOf: [conditionSchema(stored, components), pathsSchema(components)] };
  if (attribute.type !== 'enumeration') return conditionSchema(stored, components);
  const { value } = operands[stored];
  const whole = answerSchema(attribute);
  const filter = (): Schema =>
    components.ofAttribute(type, attribute, () => operatorsSchema(stored, { value, whole, self: filter() }));
  return { anyOf: [whole, filter()] };
}

/** Returns the schema of conditions on values inside of JSON, by their paths. */
function pathsSchema(components: Components): Schema {
  const value = { type: ['string', 'number', 'boolean'] };
  const filter = (): Schema =>
    components.named('JsonValueFilter', () => operatorsSchema('json', { value: text, whole: value, self: filter() }));
  return components.named('JsonPathFilter', () => ({
    type: 'object',
    propertyNames: { pattern: '^[^$]+$' },
    additionalProperties: { anyOf: [value, filter()] },
  }));
}

interface Operands {
  /** Schema of the operands of text operators. */
  readonly value: Schema;
  readonly whole: Schema;
  /** Reference to the schema with all operators. */
  readonly self: Schema;
}

function operatorsSchema(stored: Stored, { value, whole, self }: Operands): Schema {
  const names = (Object.keys(operators) as Operator[]).filter((operator) => takesOperator(stored, operator));
  const tests = names.map((operator) => {
    const { arity, text: comparesText } = operators[operator];
    return [`$${operator}`, operandOf[arity](comparesText === undefined ? whole : value)] as const;
  });
  const groups = { $and: listOf(self), $or: listOf(self), $not: self };
  const near = stored === 'point' && { $near: nearSchema };
  return { type: 'object', properties: { ...Object.fromEntries(tests), ...near, ...groups }, additionalProperties: false };
}

const operandOf: Readonly<Record<(typeof operators)[Operator]['arity'], (value: Schema) => Schema>> = {
  one: (value) => value,
  list: listOf,
  pair: (value) => ({ ...listOf(value), minItems: 2, maxItems: 2 }),
  flag: () => flag,
  shape: () => shapeSchema,
};
