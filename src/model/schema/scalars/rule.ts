import type { Values } from '#base/values.js';
import type { ScalarAttribute } from '../content-type.js';
import type { InputContext } from '../findings.js';
import type { Convert } from './conversions.js';

/** Drafts may leave out required values, and their strings may be too short. */
export type InputRules = Pick<InputContext, 'mode' | 'draft' | 'hashed' | 'typesOnly'>;

/** Returns the problems of a value that is not null, in the wording of Strapi v4. */
export type Check = (value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules) => string[];

/** A problem of a part of a value, and the path of the part. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The stored values that a type reads as a value: those of a BSON type, texts of a pattern, finite numbers, whole numbers, or all. */
type Fitting =
  | { readonly bson: 'string' | 'bool' | 'date' | 'array' | 'object' }
  | { readonly pattern: string }
  | 'number'
  | 'integer'
  | 'all';

/** All that is known of a scalar attribute type. */
export interface ScalarRule {
  /** The stored form of values, which decides how they are compared and indexed. */
  readonly stored: 'text' | 'number' | 'date' | 'boolean' | 'json' | 'point' | 'link';
  /** Whether `_q` searches in the values: in texts always, in numbers if `_q` is a number. */
  readonly search: 'text' | 'number' | 'never';
  /** Whether `unique: true` is possible. */
  readonly uniqueAllowed: boolean;
  /** Whether the values may be part of a shard key. */
  readonly shardKey?: true;
  /**
   * Turns an operand of a filter, or a value of another database, into its stored form. Throws a ValidationError that has `name`.
   */
  readonly cast: (value: unknown, name: string) => unknown;
  /** The part of an ISO date that is compared, if the operand `$now` is the current time. */
  readonly now?: readonly [start: number, end: number];
  /** Turns a checked input value of the attribute `name` into its stored form. Throws a ValidationError for a date or time. */
  readonly store: (value: unknown, name: string) => unknown;
  /** Whether the checks of Strapi v4 put the stored form in place of the input, so that code sees it. */
  readonly castsInput?: true;
  /** Turns a stored value that is not null into the JSON of an answer: null if it does not fit the type. Never throws. */
  readonly output: (stored: unknown) => unknown;
  readonly fitting: Fitting;
  readonly check: Check;
  /** Returns the problems of the parts of a value. */
  readonly checkParts?: (value: readonly unknown[], path: string) => Problem[];
  /** Whether texts have a form that `check` decides whatever the attribute says. */
  readonly ownForm?: true;
  /** The name of the type in messages about null; absent if values may have any form. Numbers in a `string` are made texts. */
  readonly name?: string;
  /** Completes the default of a model. */
  readonly completeDefault?: (initial: unknown) => unknown;
  /** Returns whether a default may be stored, as far as `store` does not check it. */
  readonly allowsDefault?: (initial: unknown, values: readonly string[]) => boolean;
  /** Absent if no other type is converted to this one. */
  readonly convert?: Convert;
  /** The name of the scalar in GraphQL. */
  readonly graphql: 'String' | 'Int' | 'Long' | 'Float' | 'Boolean' | 'Date' | 'Time' | 'DateTime' | 'JSON';
  /** The JSON schemas of answered values, and of accepted ones if they are wider. Absent if values may have any form. */
  readonly schema?: { readonly answer: Values; readonly input?: Values };
  /** The type of columns, as PostgreSQL names it, by which clients that sync read the texts of values; absent for texts. */
  readonly column?: string;
  /** How the panel shows an attribute. */
  readonly panel: {
    /** The width of its field in a form of 12 columns. */
    readonly width: 4 | 6 | 12;
    /** Whether lists can be sorted by it. */
    readonly sorts: boolean;
    /** Whether lists can show it. */
    readonly listed: boolean;
  };
}
