/** The part of JSON Schema that settings use; checked by ajv. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One setting: its schema, its default, and its description in docs/configuration.md. `variable`: the environment variable that
 * wins over the file.
 */
export interface Setting<T> {
  readonly kind: 'setting';
  readonly schema: JsonSchema;
  readonly default: T;
  readonly about: string;
  readonly variable: string | null;
  /** Characters that a secret should have; fewer are refused in production. Null: it is no secret. */
  readonly secret: number | null;
}

/** Settings under one key. A group with `enabled` may also be written as true or false. */
export interface Group<M extends SettingMap> {
  readonly kind: 'group';
  readonly settings: M;
}

export type SettingMap = Readonly<Record<string, SettingNode>>;
export type SettingNode = Setting<unknown> | GroupNode;
/** Any group; an interface of its own, since a type alias cannot refer to itself. */
export interface GroupNode {
  readonly kind: 'group';
  readonly settings: SettingMap;
}

/** The type of the complete value that a setting or group describes. */
export type ValueOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends { readonly kind: 'group'; readonly settings: infer M }
      ? { readonly [K in keyof M]: ValueOf<M[K]> }
      : never;

/**
 * Rules of JSON Schema besides the type, the name of the environment variable, and the length of a secret. `description` says in words
 * what a `pattern` demands, for the message that refuses a value.
 */
interface Extra extends JsonSchema {
  readonly variable?: string;
  readonly secret?: number;
}

const setting = <T>({ variable, secret, ...schema }: Extra, value: T, about: string): Setting<T> => ({
  kind: 'setting',
  schema,
  default: value,
  about,
  variable: variable ?? null,
  secret: secret ?? null,
});

export const group = <const M extends SettingMap>(settings: M): Group<M> => ({ kind: 'group', settings });

export const text = (value: string, about: string, extra?: Extra): Setting<string> =>
  setting({ type: 'string', ...extra }, value, about);

/** A text that may be missing: null. */
export const maybeText = (about: string, extra?: Extra): Setting<string | null> =>
  setting<string | null>({ type: 'string', nullable: true, ...extra }, null, about);

export const whole = (value: number, about: string, extra?: Extra): Setting<number> =>
  setting({ type: 'integer', minimum: 0, ...extra }, value, about);

/** A whole number that may be missing: null. */
export const maybeWhole = (about: string, extra?: Extra): Setting<number | null> =>
  setting<number | null>({ type: 'integer', minimum: 0, nullable: true, ...extra }, null, about);

export const decimal = (value: number, about: string, extra?: Extra): Setting<number> =>
  setting({ type: 'number', ...extra }, value, about);

export const flag = (value: boolean, about: string, extra?: Extra): Setting<boolean> =>
  setting({ type: 'boolean', ...extra }, value, about);

/** A flag that may be left to the program: null. */
export const maybeFlag = (about: string, extra?: Extra): Setting<boolean | null> =>
  setting<boolean | null>({ type: 'boolean', nullable: true, ...extra }, null, about);

/** One of some words; the first is the default. */
export const choice = <const T extends string>(choices: readonly [T, ...T[]], about: string, extra?: Extra): Setting<T> =>
  setting<T>({ type: 'string', enum: choices, ...extra }, choices[0], about);

export const texts = (value: readonly string[], about: string, extra?: Extra): Setting<readonly string[]> =>
  setting({ type: 'array', items: { type: 'string' }, ...extra }, value, about);

/** A value of a shape of its own; `schema` must say no less than the type does. */
export const shaped = <T>(schema: JsonSchema, value: T, about: string): Setting<T> => setting(schema, value, about);

/** The environment that the service runs in. */
export type Environment = 'development' | 'test' | 'production';

/** Reads NODE_ENV. Any name except `development` and `test` means production. */
export const environmentOf = (name: string | undefined): Environment =>
  name === undefined || name === '' || name === 'development' ? 'development' : name === 'test' ? 'test' : 'production';

/** The configuration cannot be used; the message is for the operator, one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The environment variable whose value is wrong; null for any other mistake. */
  readonly variable: string | null;

  constructor(message: string, { variable = null, ...options }: ErrorOptions & { readonly variable?: string | null } = {}) {
    super(message, options);
    this.variable = variable;
  }
}
