import { operators, type Operator } from '../query/operators.js';
import type { ContentType, ScalarAttribute, ScalarType } from '../schema/content-type.js';
import { scalarTypes, type Stored } from '../schema/scalar-types.js';
import type { Components } from './components.js';
import { anything, flag, listOf, text, type Schema } from './schema.js';

interface ScalarSchema {
  readonly answer: Schema;
  /** The schema of accepted values, if it is wider than that of answers. */
  readonly input?: Schema;
}

const numeric: ScalarSchema = { answer: { type: 'number' } };
const instant: Schema = { type: 'string', format: 'date-time' };

/** The values of each attribute type in answers and in bodies. */
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
  time: { answer: { type: 'string', description: 'Such as 14:30:00.000' } },
  datetime: { answer: instant },
  timestamp: { answer: { type: 'string', description: 'Milliseconds since 1970' }, input: { type: ['string', 'integer'] } },
  json: { answer: anything },
  blocks: { answer: listOf({ type: 'object' }) },
};

/** A value of the attribute in an answer. */
export function answerSchema({ type, enum: values }: ScalarAttribute): Schema {
  return type === 'enumeration' ? { type: 'string', enum: values } : scalars[type].answer;
}

/**
 * A value of the attribute in a body, with the rules that it must meet. Defaults appear in descriptions only, since code
 * generators treat attributes with a default as required.
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
    ...(isPlain(initial) && { description: `${String(initial)} unless given` }),
  };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Patterns of JSON schemas are Unicode ones, which not every pattern of a model is. */
function patternOf({ regex }: ScalarAttribute): Schema {
  if (regex === null || regex.flags !== '') return {};
  try {
    return { pattern: new RegExp(regex.source, 'u').source };
  } catch {
    return {};
  }
}

/** The schema of an operand, by the stored form of the value. */
const operands: Readonly<Record<Stored, { readonly name: string; readonly value: Schema }>> = {
  text: { name: 'TextFilter', value: text },
  number: { name: 'NumberFilter', value: { type: ['number', 'string'] } },
  date: { name: 'DateTimeFilter', value: text },
  boolean: { name: 'BooleanFilter', value: flag },
  json: { name: 'JsonFilter', value: text },
  link: { name: 'IdFilter', value: { type: 'integer' } },
};

/** A condition on values of a stored form: the value itself, or operators. */
export function conditionSchema(stored: Stored, components: Components): Schema {
  const { name, value } = operands[stored];
  const filter = (): Schema => components.named(name, () => operatorsSchema(stored, { value, whole: value, self: filter() }));
  return { anyOf: [value, filter()] };
}

/** A condition on an attribute; whole values of an enumeration must be among those that it lists. */
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
  /** The schema of operands of text operators. */
  readonly value: Schema;
  readonly whole: Schema;
  /** Refers to the schema with all operators. */
  readonly self: Schema;
}

function operatorsSchema(stored: Stored, { value, whole, self }: Operands): Schema {
  const names = (Object.keys(operators) as Operator[]).filter((operator) => takes(stored, operator));
  const tests = names.map((operator) => {
    const operand = operators[operator].text === undefined ? whole : value;
    return [`$${operator}`, operandOf(operator, operand)] as const;
  });
  const groups = { $and: listOf(self), $or: listOf(self), $not: self };
  return { type: 'object', properties: { ...Object.fromEntries(tests), ...groups }, additionalProperties: false };
}

/** Values without a single text form have no case-sensitive text operators. */
const takes = (stored: Stored, operator: Operator): boolean =>
  !((stored === 'date' || stored === 'boolean') && operators[operator].text === 'sensitive');

function operandOf(operator: Operator, value: Schema): Schema {
  switch (operators[operator].arity) {
    case 'one':
      return value;
    case 'list':
      return listOf(value);
    case 'pair':
      return { ...listOf(value), minItems: 2, maxItems: 2 };
    case 'flag':
      return flag;
  }
}
