import { type Operator, operators, takesOperator } from '#model/query/operators.js';
import type { ContentType, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { scalarTypes, type Stored } from '#model/schema/scalar-types.js';
import type { Components } from './components.js';
import { anything, flag, listOf, text, type Schema } from '#http/json-schema.js';

interface ScalarSchema {
  readonly answer: Schema;
  /** Schema of accepted values, if it is wider than that of answered values. */
  readonly input?: Schema;
}

const numeric: ScalarSchema = { answer: { type: 'number' } };
const instant: Schema = { type: 'string', format: 'date-time' };

/** Schemas of the values of each attribute type. */
const scalars: Readonly<Record<ScalarType, ScalarSchema>> = {
  string: { answer: text },
  text: { answer: text },
  richtext: { answer: { type: 'string', description: 'Markdown' } },
  email: { answer: { type: 'string', format: 'email' } },
  uid: { answer: text, input: { type: 'string', pattern: '^[A-Za-z0-9\\-_.~]*$' } },
  password: { answer: text, input: { type: 'string', format: 'password' } },
  enumeration: { answer: text },
  integer: { answer: { type: 'integer' } },
  biginteger: {
    answer: { type: 'string', pattern: '^-?\\d+$', description: 'A whole number of 64 bits' },
    input: { type: ['string', 'integer'] },
  },
  float: numeric,
  decimal: numeric,
  boolean: { answer: flag },
  date: { answer: { type: 'string', format: 'date' } },
  time: { answer: { type: 'string', description: 'A time such as 14:30:00.000' } },
  datetime: { answer: instant },
  timestamp: { answer: { type: 'string', description: 'Milliseconds since 1970' }, input: { type: ['string', 'integer'] } },
  json: { answer: anything },
  blocks: { answer: listOf({ type: 'object' }) },
};

export function answerSchema({ type, enum: values }: ScalarAttribute): Schema {
  return type === 'enumeration' ? { type: 'string', enum: values } : scalars[type].answer;
}

/**
 * Returns the schema of an attribute value in a body, with its validation rules. Defaults are mentioned only in descriptions,
 * because code generators treat attributes with a default as required.
 */
export function scalarInput(attribute: ScalarAttribute): Schema {
  const { type, min, max, minLength, maxLength, default: initial } = attribute;
  const value = scalars[type].input ?? answerSchema(attribute);
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

/** Schemas of operands, by the stored form of the value. */
const operands: Readonly<Record<Stored, { readonly name: string; readonly value: Schema }>> = {
  text: { name: 'TextFilter', value: text },
  number: { name: 'NumberFilter', value: { type: ['number', 'string'] } },
  date: { name: 'DateTimeFilter', value: text },
  boolean: { name: 'BooleanFilter', value: flag },
  json: { name: 'JsonFilter', value: text },
  link: { name: 'IdFilter', value: { type: 'integer' } },
};

/** Returns the schema of a condition on values of a stored form: the value itself, or operators. */
export function conditionSchema(stored: Stored, components: Components): Schema {
  const { name, value } = operands[stored];
  const filter = (): Schema => components.named(name, () => operatorsSchema(stored, { value, whole: value, self: filter() }));
  return { anyOf: [value, filter()] };
}

/** Returns the schema of a condition on an attribute. For an enumeration, operands that are whole values must be in its list. */
export function scalarCondition(attribute: ScalarAttribute, type: ContentType, components: Components): Schema {
  const { stored } = scalarTypes[attribute.type];
  if (attribute.type !== 'enumeration') return conditionSchema(stored, components);
  const { value } = operands[stored];
  const whole = answerSchema(attribute);
  const filter = (): Schema =>
    components.ofAttribute(type, attribute, () => operatorsSchema(stored, { value, whole, self: filter() }));
  return { anyOf: [whole, filter()] };
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
  return { type: 'object', properties: { ...Object.fromEntries(tests), ...groups }, additionalProperties: false };
}

const operandOf: Readonly<Record<(typeof operators)[Operator]['arity'], (value: Schema) => Schema>> = {
  one: (value) => value,
  list: listOf,
  pair: (value) => ({ ...listOf(value), minItems: 2, maxItems: 2 }),
  flag: () => flag,
};
