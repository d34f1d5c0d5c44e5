import type { Value } from './models.js';

/** How a language spells the types of values. */
interface Spelling {
  readonly scalars: Readonly<Record<'text' | 'integer' | 'number' | 'flag' | 'moment' | 'json', string>>;
  /** The type of an id. */
  readonly id: string;
  /** Returns the type of a list. */
  readonly list: (item: string) => string;
}

/** Returns the functions of a language that return the type of a value in answers, and in what is written. */
export function valueTypes({ scalars, id, list }: Spelling) {
  const typeOf = (value: Value): string => {
    switch (value.kind) {
      case 'choice':
        return value.choice.name;
      case 'one':
        return `MangroveOne<${value.model.name}>`;
      case 'many':
        return `MangroveMany<${value.model.name}>`;
      case 'part':
        return value.model.name;
      case 'parts':
        return list(value.model.name);
      case 'zone':
        return list(value.zone.name);
      default:
        return scalars[value.kind];
    }
  };
  const inputOf = (value: Value): string => {
    switch (value.kind) {
      case 'one':
        return id;
      case 'many':
        return 'MangroveLinks';
      case 'part':
        return value.model.inputName;
      case 'parts':
        return list(value.model.inputName);
      case 'zone':
        return list(value.zone.inputName);
      default:
        return typeOf(value);
    }
  };
  return { typeOf, inputOf };
}
