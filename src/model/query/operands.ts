import { validationError } from '#base/errors.js';
import { castFlag } from '../schema/scalars/flag.js';
import { parseShapes } from './places/shapes.js';

/** How an operand is written: one value, a list, a pair, a yes/no flag, or the shape of a part of the earth. */
type Arity = 'one' | 'list' | 'pair' | 'flag' | 'shape';

/** What operands are bound for: an operator at an attribute or id. */
export interface OperandContext {
  /** The operator as it is written, for messages. */
  readonly operator: string;
  /** Returns a value in its stored form, or as text if the operator compares text. Throws a ValidationError. */
  readonly cast: (value: unknown) => unknown;
  /** Returns another value for undefined, which only code has. Throws a ValidationError. */
  readonly defined: (value: unknown) => unknown;
}

/**
 * A comparison with an operand in the form in which it is compared. Null is a comparison with null: as in SQL, neither it nor its
 * denial has matches.
 */
type Bound = { readonly operand: unknown; readonly comparator?: 'null'; readonly denied?: boolean } | null;

/**
 * Binds the operand of an operator, as a list of the values as they are written. Returns comparisons, one of which a value must meet:
 * no value meets an empty list, and each value that is not null meets its denial. Throws a ValidationError.
 */
type Bind = (values: readonly unknown[], context: OperandContext) => readonly Bound[];

/** How an operand is written and bound. If the arity is `one`, a list of values is split before it is bound. */
export interface OperandRule {
  readonly arity: Arity;
  readonly bind: Bind;
}

const eachText: Bind = (values, { cast }) => values.map((value) => ({ operand: cast(value) }));

const eachValue: Bind = (values, { cast, defined }) =>
  values.map((value) => (value === null ? null : { operand: cast(defined(value)) }));

const orNull =
  (bind: Bind): Bind =>
  (values, context) =>
    values.flatMap((value) => (value === null ? [{ comparator: 'null', operand: true }] : bind([value], context)));

/** A text that must match. As in Strapi v4, null is the text `null`. */
export const oneText = { arity: 'one', bind: eachText } as const satisfies OperandRule;

/** A text that must equal, or null. */
export const textOrNull = { arity: 'one', bind: orNull(eachText) } as const satisfies OperandRule;

/** A value that must compare. */
export const oneValue = { arity: 'one', bind: eachValue } as const satisfies OperandRule;

/** A value that must equal, or null. */
export const valueOrNull = { arity: 'one', bind: orNull(eachValue) } as const satisfies OperandRule;

/** A list that is compared as a whole. As in SQL, null in the list equals nothing, and its denial has no matches then. */
export const listOfValues = {
  arity: 'list',
  bind: (values, { cast, defined }) => {
    const items = values.map(defined);
    const operand = items.filter((item) => item !== null).map(cast);
    return [...(operand.length > 0 ? [{ operand }] : []), ...(operand.length < items.length ? [null] : [])];
  },
} as const satisfies OperandRule;

/** Two bounds. */
export const pairOfValues = {
  arity: 'pair',
  bind: (values, { operator, cast, defined }) => {
    const bounds = values.map(defined);
    if (bounds.length !== 2) throw validationError(`Invalid parameter ${operator}: expected two values`);
    return [bounds.includes(null) ? null : { operand: bounds.map(cast) }];
  },
} as const satisfies OperandRule;

/** A part of the earth. A box across the antimeridian is two. */
export const oneShape = {
  arity: 'shape',
  bind: ([value]) => parseShapes(value).map((operand) => ({ operand })),
} as const satisfies OperandRule;

/** Whether the operator applies, or its denial. */
export const yesOrNo = {
  arity: 'flag',
  bind: ([word]) => [{ operand: true, denied: !castFlag(word) }],
} as const satisfies OperandRule;
