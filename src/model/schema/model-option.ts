import type { ContentType } from './content-type.js';
import type { Model } from './model.js';

/** An option of models that a feature adds. Types have what it says of them; `optionOf` returns that. */
export interface ModelOption<Value = unknown, Stated = unknown> {
  /** Its name among all options. With a schema it is the key of `options` where models state it. */
  readonly key: string;
  /** The JSON schema of what models state; absent if the option is read from another part of the model. */
  readonly schema?: object;
  /** Returns what a model says, by what it states; null if it says nothing. Components are models too. */
  read(stated: Stated | undefined, model: Model): Value | null;
}

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
