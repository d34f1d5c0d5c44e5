/** A JSON Schema, which ajv checks. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A setting: its schema, its default, and its description in docs/configuration.md. `variable` is the environment variable that
 * overrides the file.
 */
export interface Setting<T> {
  readonly kind: 'setting';
  readonly schema: JsonSchema;
  readonly default: T;
  readonly about: string;
  readonly variable: string | null;
  /** Minimum length of a secret in characters, enforced in production; null if the setting is not a secret. */
  readonly secret: number | null;
}

/** Settings under one key. A group with `enabled` may also be written as true or false. */
export interface Group<M extends SettingMap> {
  readonly kind: 'group';
  readonly settings: M;
}

export type SettingMap = Readonly<Record<string, SettingNode>>;
export type SettingNode = Setting<unknown> | GroupNode;
/** Any group. It is a separate interface, because a type alias cannot refer to itself. */
export interface GroupNode {
  readonly kind: 'group';
  readonly settings: SettingMap;
}

/** The type of the complete value of a setting or group. */
export type ValueOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends { readonly kind: 'group'; readonly settings: infer M }
      ? { readonly [K in keyof M]: ValueOf<M[K]> }
      : never;

/**
 * Rules of JSON Schema besides the type, the name of the environment variable, and the minimum length of a secret. `description`
 * describes a `pattern` in words for error messages.
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

/** Declares an optional string: null by default. */
export const maybeText = (about: string, extra?: Extra): Setting<string | null> =>
  setting<string | null>({ type: 'string', nullable: true, ...extra }, null, about);

export const integerSetting = (value: number, about: string, extra?: Extra): Setting<number> =>
  setting({ type: 'integer', minimum: 0, ...extra }, value, about);

/** Declares an integer from 1. */
export const amount = (value: number, about: string): Setting<number> => integerSetting(value, about, { minimum: 1 });

/** Declares an optional integer: null by default. */
export const optionalInteger = (about: string, extra?: Extra): Setting<number | null> =>
  setting<number | null>({ type: 'integer', minimum: 0, nullable: true, ...extra }, null, about);

export const decimal = (value: number, about: string, extra?: Extra): Setting<number> =>
  setting({ type: 'number', ...extra }, value, about);

export const flag = (value: boolean, about: string, extra?: Extra): Setting<boolean> =>
  setting({ type: 'boolean', ...extra }, value, about);

/** Declares an optional boolean. With null, the default, the program decides. */
export const maybeFlag = (about: string, extra?: Extra): Setting<boolean | null> =>
  setting<boolean | null>({ type: 'boolean', nullable: true, ...extra }, null, about);

/** Declares a choice between strings. The first one is the default. */
export const choice = <const T extends string>(choices: readonly [T, ...T[]], about: string, extra?: Extra): Setting<T> =>
  setting<T>({ type: 'string', enum: choices, ...extra }, choices[0], about);

export const texts = (value: readonly string[], about: string): Setting<readonly string[]> =>
  setting({ type: 'array', items: { type: 'string' } }, value, about);

/** Declares a value of any type. `schema` must be at least as strict as the type. */
export const shaped = <T>(schema: JsonSchema, value: T, about: string): Setting<T> => setting(schema, value, about);

type Options = Readonly<Record<string, unknown>>;

/** Declares options whose names are not known here, such as those of a package. */
export const options = (about: string): Setting<Options> => shaped<Options>({ type: 'object' }, {}, about);

/** The environment that the service runs in. */
export type Environment = 'development' | 'test' | 'production';

/** Reads NODE_ENV. Any name except `development` and `test` means production. */
export const environmentOf = (name: string | undefined): Environment =>
  name === undefined || name === '' || name === 'development' ? 'development' : name === 'test' ? 'test' : 'production';

/** The error for an invalid configuration. The message is for the operator, with one line per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The environment variable with the invalid value; null for any other mistake. */
  readonly variable: string | null;

  constructor(message: string, { variable = null, ...options }: ErrorOptions & { readonly variable?: string | null } = {}) {
    super(message, options);
    this.variable = variable;
  }
}
