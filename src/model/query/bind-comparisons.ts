import { exceeding } from '#base/limits/exceeded.js';
import { invalidParameter, validationError } from '#base/errors.js';
import { castFlag, type Stored } from '../schema/scalar-types.js';
import type { Filter } from './ast.js';
import type { Limits } from './bind-context.js';
import { allOf, anyOf } from './conditions.js';
import { type Comparator, operators, type Operator } from './operators.js';
import { always, never, type Condition, type TrigramPlace } from './plan.js';

/** Whether a filter is inside an odd number of `not`s. */
export type Polarity = 'plain' | 'denied';

const flip = (polarity: Polarity): Polarity => (polarity === 'plain' ? 'denied' : 'plain');

/** A place in the document whose values are compared. */
interface Subject {
  readonly name: string;
  readonly path: string;
  readonly stored: Stored;
  readonly cast: (value: unknown, name: string) => unknown;
  readonly trigrams?: TrigramPlace;
  /** Set in row rules. */
  readonly ofRule?: true;
}

/** A filter that is neither a group nor a `not`. */
type FilterTerm = Extract<Filter, { readonly kind: 'field' | 'comparison' }>;

/** Binds the groups of a filter, with `not` pushed down to its terms. `bind` binds a term. */
export function bindGroups(
  filter: Filter,
  polarity: Polarity,
  bind: (term: FilterTerm, polarity: Polarity) => Condition,
): Condition {
  if (filter.kind === 'not') return bindGroups(filter.filter, flip(polarity), bind);
  if (!('filters' in filter)) return bind(filter, polarity);
  const parts = filter.filters.map((inner) => bindGroups(inner, polarity, bind));
  return (filter.kind === 'and') === (polarity === 'plain') ? allOf(parts) : anyOf(parts);
}

/** Binds the filter below a scalar attribute or an id: comparisons and groups of them. Throws a ValidationError. */
export const bindComparisons = (filter: Filter, subject: Subject, limits: Limits, outer: Polarity = 'plain'): Condition =>
  bindGroups(filter, outer, (term, polarity) => {
    if (term.kind === 'field') throw invalidParameter(term.name);
    return bindComparison(term.operator, term.value, { subject, limits, polarity });
  });

interface ComparisonContext {
  readonly subject: Subject;
  readonly limits: Limits;
  readonly polarity: Polarity;
}

/** Throws a ValidationError for a case-sensitive operator of text on a date or boolean, which has no single text form. */
function bindComparison(operator: Operator, value: unknown, context: ComparisonContext): Condition {
  const { arity, denies, text } = operators[operator];
  const isShapeless = ['date', 'boolean'].includes(context.subject.stored);
  if (asList(value).some(isStructure) || (isShapeless && text === 'sensitive')) throw invalidParameter(`$${operator}`);
  if (arity === 'one' && Array.isArray(value)) return bindEach(operator, value, context);
  if (arity !== 'flag' && text === undefined && asList(value).includes(undefined))
    return bindComparison(operator, defined(value, context), context);
  if (denies !== undefined) return bindComparison(denies, value, { ...context, polarity: flip(context.polarity) });
  switch (arity) {
    case 'flag':
      return bindNull(value, context);
    case 'list':
      return bindIn(asList(value), context);
    case 'pair':
      return bindBetween(asList(value), context);
    case 'one':
      return bindOne(operator as Comparator, value, context); // negating operators were replaced above
  }
}

/**
 * Returns an operand of code without undefined, which clients cannot send. As in Strapi v4 it is the empty text, or false. Operators
 * that search in text search for the word. Throws a ValidationError for types that have no such value.
 */
function defined(value: unknown, { subject }: ComparisonContext): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? definedOperand(subject) : (item as unknown)));
  return value === undefined ? definedOperand(subject) : value;
}

function definedOperand({ stored, name }: Subject): unknown {
  if (stored === 'text') return '';
  if (stored === 'boolean') return false;
  throw validationError(`Invalid value for ${name}: it is undefined`);
}

const isStructure = (value: unknown): boolean => typeof value === 'object' && value !== null && !(value instanceof Date);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const compare = (name: Comparator, operand: unknown, { subject, polarity }: ComparisonContext): Condition => ({
  kind: 'comparison',
  path: subject.path,
  stored: subject.stored,
  comparator: name,
  operand,
  denied: polarity === 'denied',
  ...(subject.trigrams !== undefined &&
    polarity === 'plain' &&
    operators[name].literal === true && { trigrams: subject.trigrams }),
  ...(subject.ofRule === true && { ofRule: true }),
});

function bindNull(value: unknown, context: ComparisonContext): Condition {
  const [word] = asList(value);
  return compare('null', true, castFlag(word) ? context : { ...context, polarity: flip(context.polarity) });
}

/** Binds `$in`. No value is in an empty list, so the negation of an empty list matches all entries. */
function bindIn(values: readonly unknown[], context: ComparisonContext): Condition {
  const { subject, polarity } = context;
  if (values.length === 0) return polarity === 'plain' ? never : always;
  const operands = values.filter((value) => value !== null).map((value) => subject.cast(value, subject.name));
  if (operands.length < values.length && polarity === 'denied') return never;
  return operands.length === 0 ? never : compare('in', operands, context);
}

function bindBetween(values: readonly unknown[], context: ComparisonContext): Condition {
  const [low, high] = values;
  if (values.length !== 2) throw validationError('Invalid parameter $between: expected two values');
  if (low === null || high === null) return never;
  const { subject } = context;
  return compare('between', [subject.cast(low, subject.name), subject.cast(high, subject.name)], context);
}

/** Binds a list that is given to an operator of one value: some value of the list must match. */
function bindEach(operator: Operator, values: readonly unknown[], context: ComparisonContext): Condition {
  const parts = values.map((value) => bindComparison(operator, value, context));
  return context.polarity === 'plain' ? anyOf(parts) : allOf(parts);
}

/**
 * Binds a comparison with one value. As in Strapi v4, null is the text `null` for operators that search in text. Operators that
 * compare values match nothing with null, except for equality.
 */
function bindOne(operator: Comparator, value: unknown, context: ComparisonContext): Condition {
  if (value === null && (operator === 'eq' || operator === 'eqi')) return compare('null', true, context);
  if (operators[operator].text !== undefined) return compare(operator, textOperand(value, context), context);
  if (value === null) return never;
  return compare(operator, context.subject.cast(value, context.subject.name), context);
}

/** Returns the operand of a text operator. Throws a ValidationError for text that is too long. */
function textOperand(value: unknown, { subject, limits }: ComparisonContext): string {
  const text = String(value);
  const isLong = text.length > limits.textLength;
  if (!isLong && !text.includes('\0')) return text;
  const error = validationError(
    `Invalid value for ${subject.name}, expected text of at most ${String(limits.textLength)} characters without NUL`,
  );
  throw isLong ? exceeding('api.limits.textLength', error) : error;
}
