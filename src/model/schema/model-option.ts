import type { Values } from '#base/values.js';
import type { ContentType } from './content-type.js';
import type { Model } from './model.js';

/** An option of models that a feature adds. Types have what it says of them; `optionOf` returns that. */
export interface ModelOption<Value = unknown, Stated = unknown> {
  /** Its name among all options. With a schema it is the key of `options` where models state it. */
  readonly key: string;
  /** The JSON schema of what models state; absent if the option is read from another part of the model. */
  readonly schema?: object;
  /** Returns what a model says, by what it states; null if it says nothing. Components are models too. */
  read(optionValue: Stated | undefined, model: Model): Value | null;
  /**
   * Returns scalar attributes that it adds to a type, by name. Only the service writes them; new entries have their defaults. They can be
   * filtered and sorted by; answers have them if `fields` names them.
   */
  attributes?(value: Value): Model['attributes'];
  /** Returns what is wrong with a model that states it, one line each. */
  problems?(value: Value, model: Model): readonly string[];
}

/** What an option says of a type, if it may refuse that entries are published. */
export interface PublicationGuard {
  /** Returns why a stored entry cannot be published; null if it can. */
  publicationRefusal(entry: Values): string | null;
}

const isGuard = (value: unknown): value is PublicationGuard => typeof Object(value).publicationRefusal === 'function';

/** Returns whether an option of a type may refuse that entries are published. */
export const guardsPublication = ({ options }: Pick<ContentType, 'options'>): boolean => [...options.values()].some(isGuard);

/** Returns why the options of a type refuse that a stored entry is published; null if they do not. */
export const publicationRefusal = ({ options }: Pick<ContentType, 'options'>, entry: Values): string | null =>
  [...options.values()].map((value) => (isGuard(value) ? value.publicationRefusal(entry) : null)).find((one) => one !== null) ??
  null;

/** Returns what the options say of a model, by key. */
export const optionsOf = (model: Model, options: readonly ModelOption[]): ContentType['options'] =>
  new Map(
    options
      .map((option) => [option.key, option.read(model.options?.[option.key], model)] as const)
      .filter(([, value]) => value !== null),
  );

/** Returns what an option says of a type; null if it says nothing. */
export const optionOf = <Value>({ options }: Pick<ContentType, 'options'>, { key }: ModelOption<Value>): Value | null =>
  (options.get(key) as Value | undefined) ?? null; // read by it

/** Returns the definitions of the attributes that options add to a model, by name. */
export function attributesOfOptions(model: Model, options: readonly ModelOption[]): Model['attributes'] {
  const stated = optionsOf(model, options);
  return Object.fromEntries(
    options.flatMap((option) =>
      stated.has(option.key) ? Object.entries(option.attributes?.(stated.get(option.key)) ?? {}) : [],
    ),
  );
}

/** Returns what options find wrong with a model, one line each. */
export function optionProblems(model: Model, options: readonly ModelOption[]): readonly string[] {
  const stated = optionsOf(model, options);
  return options.flatMap((option) => {
    if (!stated.has(option.key)) return [];
    const value = stated.get(option.key);
    const taken = Object.keys(option.attributes?.(value) ?? {}).filter((name) => Object.hasOwn(model.attributes, name));
    const ofNames = taken.map((name) => `attributes.${name} must have another name, because options.${option.key} adds it`);
    return [...ofNames, ...(option.problems?.(value, model) ?? [])];
  });
}
