import { exceeding } from '#base/limits/exceeded.js';
import { invalidParameter, validationError } from '#base/errors.js';
import { keysOfPath } from '../schema/json-options.js';
import type { Stored } from '../schema/scalar-types.js';
import type { Filter } from './ast.js';
import type { Limits } from './bind-context.js';
import { allOf, anyOf, never } from './conditions.js';
import { compareInJson } from './compare-json.js';
import { misplacedNear } from './places/near.js';
import type { OperandContext } from './operands.js';
import { type Comparator, operators, type Operator, takesOperator } from './operators.js';
import type { Condition, TrigramPlace } from './plan.js';

/** Whether a filter is inside an odd number of `not`s. */
export type Polarity = 'plain' | 'denied';

export const flip = (polarity: Polarity): Polarity => (polarity === 'plain' ? 'denied' : 'plain');

/** A place in the document whose values are compared. */
interface Subject {
  readonly name: string;
  readonly path: string;
  readonly stored: Stored;
  readonly cast: (value: unknown, name: string) => unknown;
  readonly trigrams?: TrigramPlace;
  /** The keys that lead to the values, if they are inside of JSON. */
  readonly keys?: readonly string[];
  /** Set in row rules. */
  readonly ofRule?: true;
}

/** A filter that is neither a group nor a `not`. */
type FilterTerm = Exclude<Filter, { readonly kind: 'and' | 'or' | 'not' | 'near' }>;

/** Binds the groups of a filter, with `not` pushed down to its terms. `bind` binds a term. */
export function bindGroups(
  filter: Filter,
  polarity: Polarity,
  bind: (term: FilterTerm, polarity: Polarity) => Condition,
): Condition {
  if (filter.kind === 'not') return bindGroups(filter.filter, flip(polarity), bind);
  if (filter.kind === 'near') throw misplacedNear();
  if (!('filters' in filter)) return bind(filter, polarity);
  const parts = filter.filters.map((inner) => bindGroups(inner, polarity, bind));
  return (filter.kind === 'and') === (polarity === 'plain') ? allOf(parts) : anyOf(parts);
}

/** Binds the filter below a scalar attribute or an id: comparisons and groups of them. Throws a ValidationError. */
export const bindComparisons = (filter: Filter, subject: Subject, limits: Limits, outer: Polarity = 'plain'): Condition =>
  bindGroups(filter, outer, (term, polarity) => {
    if (term.kind !== 'comparison') throw invalidParameter(nameOf(term));
    return bindComparison(term.operator, term.value, { subject, limits, polarity });
  });

/** Binds the filter below a JSON attribute: comparisons of the whole value, and of values that paths lead to. Throws a ValidationError. */
export const bindJson = (filter: Filter, subject: Subject, limits: Limits, outer: Polarity): Condition =>
  bindGroups(filter, outer, (term, polarity) => {
    if (term.kind !== 'field') return bindComparisons(term, subject, limits, polarity);
    const keys = keysOfPath(term.name);
    if (keys === null) throw invalidParameter(term.name);
    return bindComparisons(term.filter, { ...subject, keys }, limits, polarity);
  });

/** Returns the name of a term as it is written in a filter. */
export const nameOf = (term: FilterTerm): string =>
  term.kind === 'field' ? term.name : `$${term.kind === 'quantifier' ? term.quantifier : term.operator}`;

interface ComparisonContext {
  readonly subject: Subject;
  readonly limits: Limits;
  readonly polarity: Polarity;
}

/** Throws a ValidationError for an operand that does not fit, and an operator that the values do not have. */
function bindComparison(operator: Operator, value: unknown, context: ComparisonContext): Condition {
  const { arity, bind, denies, text } = operators[operator];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if ((arity !== 'shape' && values.some(isStructure)) || !takesOperator(context.subject.stored, operator))
    throw invalidParameter(`$${operator}`);
  if (arity === 'one' && Array.isArray(value)) return bindEach(operator, values, context);
  const inner = denies === undefined ? context : { ...context, polarity: flip(context.polarity) };
  const comparator = denies ?? (operator as Comparator); // it denies none
  const bound = bind(values, (text === undefined ? valuesOf : textsOf)(`$${operator}`, context));
  const parts = bound.map((one) => (one === null ? never : compare(one.comparator ?? comparator, one, inner)));
  const [only = never] = parts;
  if (parts.length === 1) return only;
  return inner.polarity === 'plain' ? anyOf(parts) : allOf(parts);
}

const isStructure = (value: unknown): boolean => typeof value === 'object' && value !== null && !(value instanceof Date);

/**
 * Returns the conversion to the stored form. Undefined in code, which clients cannot send, is the empty text, or false, as in Strapi
 * v4. For types that have no such value, it throws a ValidationError.
 */
const valuesOf = (operator: string, { subject: { stored, name, cast } }: ComparisonContext): OperandContext => ({
  operator,
  cast: (value) => cast(value, name),
  defined: (value) => {
    if (value !== undefined) return value;
    if (stored === 'text') return '';
    if (stored === 'boolean') return false;
    throw validationError(`Invalid value for ${name}: it is undefined`);
  },
});

/** Returns the conversion to text, in which undefined and null are words. It throws a ValidationError for text that is too long. */
const textsOf = (operator: string, { subject, limits }: ComparisonContext): OperandContext => ({
  operator,
  defined: (value) => value,
  cast: (value) => {
    const text = String(value);
    const isLong = text.length > limits.textLength;
    if (!isLong && !text.includes('\0')) return text;
    const error = validationError(
      `Invalid value for ${subject.name}, expected text of at most ${String(limits.textLength)} characters without NUL`,
    );
    throw isLong ? exceeding('api.limits.textLength', error) : error;
  },
});

function compare(name: Comparator, { operand, denied = false }: BoundOperand, context: ComparisonContext): Condition {
  const { subject, polarity } = context;
  if (subject.keys !== undefined) return compareInJson(name, operand, { ...subject, denied: (polarity === 'denied') !== denied });
  return {
    kind: 'comparison',
    path: subject.path,
    stored: subject.stored,
    comparator: name,
    operand,
    denied: (polarity === 'denied') !== denied,
    ...(subject.trigrams !== undefined &&
      polarity === 'plain' &&
      operators[name].literal === true && { trigrams: subject.trigrams }),
    ...(subject.ofRule === true && { ofRule: true }),
  };
}

interface BoundOperand {
  readonly operand: unknown;
  readonly denied?: boolean;
}

/** Binds a list that is given to an operator of one value: some value of the list must match. */
function bindEach(operator: Operator, values: readonly unknown[], context: ComparisonContext): Condition {
  const parts = values.map((value) => bindComparison(operator, value, context));
  return context.polarity === 'plain' ? anyOf(parts) : allOf(parts);
}
