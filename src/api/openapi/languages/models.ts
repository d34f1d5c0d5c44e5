import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import { typeName } from '#model/schema/names.js';
import { isSynced } from '#http/sync-option.js';
import type { Components } from '../components.js';
import { inputsOf } from '../input-schemas.js';
import { answerSchema } from '../scalar-schemas.js';
import { shownAttributes, type ShownAttribute } from '../shown-attributes.js';
import { allowedOn, usedTypes } from '../used-types.js';
import { Names } from './names.js';

/** The values of an enumeration, with their identifiers. */
export interface Choice {
  readonly name: string;
  readonly values: readonly (readonly [identifier: string, value: string])[];
}

/** A dynamic zone: a union whose values are distinguished by `__component`. */
export interface Zone {
  readonly name: string;
  readonly inputName: string;
  readonly parts: readonly Model[];
}

/** What an attribute has. Whole numbers of 64 bits, dates and times of day are texts; a moment is a date with a time. */
export type Value =
  | { readonly kind: 'text' | 'integer' | 'number' | 'flag' | 'moment' | 'json' }
  | { readonly kind: 'choice'; readonly choice: Choice }
  | { readonly kind: 'one' | 'many' | 'part' | 'parts'; readonly model: Model }
  | { readonly kind: 'zone'; readonly zone: Zone };

export interface Member {
  /** The name in JSON. */
  readonly key: string;
  readonly identifier: string;
  readonly value: Value;
  /** Whether answers have it, and whether a write may. */
  readonly isShown: boolean;
  readonly isWritten: boolean;
}

/** A content type or component of an app. */
export interface Model {
  readonly uid: string;
  readonly name: string;
  readonly inputName: string;
  readonly fieldName: string;
  readonly about: string;
  readonly isComponent: boolean;
  /** Whether entries can be written. */
  readonly hasInput: boolean;
  readonly members: readonly Member[];
}

/** The calls of a content type: its path below `/api`, and the identifier under which a client has them. */
export interface Calls {
  readonly identifier: string;
  readonly path: string;
  readonly model: Model;
  readonly isSingle: boolean;
  readonly isSynced: boolean;
}

/** Words of a language that types, attributes, values and calls cannot be named by. */
export interface Words {
  readonly types: readonly string[];
  readonly members: readonly string[];
  readonly values: readonly string[];
  readonly calls: readonly string[];
}

/** What an app declares. */
interface AppModels {
  readonly models: readonly Model[];
  readonly zones: readonly Zone[];
  readonly choices: readonly Choice[];
  readonly calls: readonly Calls[];
}

/** Returns the content types that the caller may use, and what they lead to, with names that suit a language. */
export function appModels(components: Components, words: Words): AppModels {
  const walk = new Walk(components, words);
  const names = new Names(words.calls);
  const used = usedTypes(components).map(([path, type]) => ({ path, type, model: walk.model(type) }));
  walk.finish();
  const calls = used.flatMap(({ path, type, model }) => {
    if (!type.uid.startsWith('api::')) return [];
    const isSingle = type.kind === 'singleType';
    return [{ identifier: names.member(path), path, model, isSingle, isSynced: isSynced(type) }];
  });
  return { models: [...walk.models.values()], zones: walk.zones, choices: walk.choices, calls };
}

/** Collects models. Their attributes are read last, because they lead to further ones and back. */
class Walk {
  readonly models = new Map<string, Model>();
  readonly zones: Zone[] = [];
  readonly choices: Choice[] = [];
  readonly #components: Components;
  readonly #words: Words;
  readonly #names: Names;
  readonly #queue: (() => void)[] = [];

  constructor(components: Components, words: Words) {
    this.#components = components;
    this.#words = words;
    this.#names = new Names(words.types);
  }

  model(type: ContentType): Model {
    const cachedModel = this.models.get(type.uid);
    if (cachedModel !== undefined) return cachedModel;
    const isComponent = type.kind === 'component';
    const base = `${type.uid.startsWith('admin::') ? 'Admin' : ''}${typeName(type)}`;
    const name = this.#names.type(base);
    const members: Member[] = [];
    const model: Model = {
      ...{ uid: type.uid, name, isComponent, members },
      inputName: this.#names.type(`${name}Input`),
      fieldName: this.#names.type(`${name}Field`),
      about: type.description === '' ? type.uid : `${type.uid}: ${type.description}`,
      hasInput: isComponent || allowedOn(type, this.#components).some((action) => ['create', 'update'].includes(action)),
    };
    this.models.set(type.uid, model);
    this.#queue.push(() => members.push(...this.#members(type, name)));
    return model;
  }

  finish(): void {
    for (let read = this.#queue.shift(); read !== undefined; read = this.#queue.shift()) read();
  }

  #members(type: ContentType, owner: string): Member[] {
    const shown = new Map(shownAttributes(type, this.#components));
    const written = new Set(Object.keys(inputsOf(type, this.#components)));
    const names = new Names([...this.#words.members, 'id']);
    return [...type.attributes.values()].flatMap((attribute): Member[] => {
      const { name: key } = attribute;
      const known = shown.get(key) ?? (attribute.kind === 'scalar' ? ({ kind: 'scalar', attribute } as const) : undefined);
      const [isShown, isWritten] = [shown.has(key), written.has(key)];
      if (known === undefined || !(isShown || isWritten)) return [];
      return [{ key, identifier: names.member(key), value: this.#value(known, `${owner}_${key}`), isShown, isWritten }];
    });
  }

  #value(shown: ShownAttribute, place: string): Value {
    switch (shown.kind) {
      case 'scalar':
        return shown.attribute.type === 'enumeration'
          ? this.#choice(shown.attribute, place)
          : { kind: scalarKind(shown.attribute) };
      case 'link':
        return { kind: shown.attribute.many ? 'many' : 'one', model: this.model(shown.target) };
      case 'morph':
        return { kind: 'json' };
      case 'parts': {
        const { attribute } = shown;
        const parts = shown.parts.map((part) => this.model(part));
        const [model] = parts;
        if (attribute.kind === 'dynamiczone') return this.#zone(parts, place);
        return model === undefined ? { kind: 'json' } : { kind: attribute.repeatable ? 'parts' : 'part', model };
      }
    }
  }

  #choice({ enum: values }: ScalarAttribute, place: string): Value {
    const names = new Names(this.#words.values);
    const choice = {
      name: this.#names.type(place),
      values: [...new Set(values)].map((value) => [names.member(value), value] as const),
    };
    this.choices.push(choice);
    return { kind: 'choice', choice };
  }

  #zone(parts: readonly Model[], place: string): Value {
    const name = this.#names.type(place);
    const zone = { name, inputName: this.#names.type(`${name}Input`), parts };
    this.zones.push(zone);
    return { kind: 'zone', zone };
  }
}

function scalarKind(attribute: ScalarAttribute): 'text' | 'integer' | 'number' | 'flag' | 'moment' | 'json' {
  const { type, format } = answerSchema(attribute);
  if (type === 'string') return format === 'date-time' ? 'moment' : 'text';
  return type === 'integer' || type === 'number' ? type : type === 'boolean' ? 'flag' : 'json';
}
