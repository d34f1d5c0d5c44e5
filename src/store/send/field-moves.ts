import type { Document } from 'mongodb';
import { memoize } from '#base/caches.js';
import type { AttributePlace } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { draftField } from '#model/schema/drafts-beside.js';
import { componentsOf, hasParts, mapParts } from '#model/schema/parts.js';
import { isRecord, mapValues, type Values } from '#base/values.js';

/** A move of the values of an attribute from one name to another. */
export interface FieldMove {
  /** The uid of the content type or component. */
  readonly uid: string;
  readonly from: string;
  readonly to: string;
  /** Whether writes store the values under both names; otherwise only under the new one. */
  readonly keepsFormer: boolean;
}

type Types = Pick<Registry, 'types'>;

/**
 * The attributes whose values are being moved to another name. A write under either name stores its values under both, so that
 * instances which serve one or the other read the same. Writes to other collections are unchanged.
 */
export class FieldMoves {
  #moves: readonly FieldMove[] = [];
  #types: Types = { types: new Map() };
  #collections: ReadonlyMap<string, ContentType> = new Map();

  /** Sets the moves that are under way. The types may have either name. */
  follow(moves: readonly FieldMove[], types: Types): void {
    const uids = new Set(moves.map(({ uid }) => uid));
    this.#moves = moves;
    this.#types = types;
    this.#collections = new Map(typesWith(uids, types).map((type) => [type.collection, type]));
  }

  /** Returns whether writes to a collection store values under other names. */
  concerns(collection: string): boolean {
    return this.#collections.has(collection);
  }

  /** Returns a new document with the values under the names that they are stored under. */
  document<Stored extends Document>(collection: string, document: Stored): Stored {
    const type = this.#collections.get(collection);
    return type === undefined ? document : (this.#record(type, document) as Stored); // has the fields of the document
  }

  /** Returns an update that does the same with the values that it changes. */
  update(collection: string, update: Document): Document {
    const type = this.#collections.get(collection);
    if (type === undefined) return update;
    return mapValues<unknown, unknown>(update, (values) => (isRecord(values) ? this.#paths(type, values) : values));
  }

  /** Returns the names under which the values of an attribute are stored. */
  namesOf(uid: string, name: string): readonly string[] {
    const move = this.#moves.find((one) => one.uid === uid && (one.from === name || one.to === name));
    if (move === undefined) return [name];
    return move.keepsFormer ? [move.from, move.to] : [move.to];
  }

  /** Returns a place under all names of the attributes that lead to it, because these may be moved at the same time. */
  stepsOf<Place extends AttributePlace>(place: Place): readonly Place[] {
    const variants = place.steps.reduce<readonly AttributePlace['steps'][]>(
      (all, step, index) =>
        all.flatMap((steps) =>
          this.namesOf(place.holders[index]?.uid ?? '', step.name).map((name) => [...steps, { ...step, name }]),
        ),
      [[]],
    );
    return variants.map((steps) => ({ ...place, steps }));
  }

  /** Returns a place under all names of these attributes and of its own. */
  placesOf<Place extends AttributePlace>(place: Place): readonly Place[] {
    const names = this.namesOf(place.holders.at(-1)?.uid ?? '', place.attribute.name);
    return this.stepsOf(place).flatMap((one) => names.map((name) => ({ ...one, attribute: { ...one.attribute, name } })));
  }

  #record(type: ContentType, values: Values): Values {
    const entries = Object.entries(values).flatMap(([name, value]) => {
      if (holdsNames(name) && isRecord(value)) return [[name, this.#keys(type, name, value)] as const];
      if (name === draftField && isRecord(value)) return [[name, this.#record(type, value)] as const];
      const stored = this.#parts(this.#attribute(type, name), value);
      return this.namesOf(type.uid, name).map((one) => [one, stored] as const);
    });
    return Object.fromEntries(entries);
  }

  /** Returns values by the paths of attributes below a field such as `_ranks`. */
  #keys(type: ContentType, field: string, values: Values): Values {
    const entries = Object.entries(values).flatMap(([key, value]) =>
      this.#pathsOf(type, key.split(separatorOf(field))).paths.map((path) => [path.join(separatorOf(field)), value] as const),
    );
    return Object.fromEntries(entries);
  }

  #paths(type: ContentType, values: Values): Values {
    const entries = Object.entries(values).flatMap(([path, value]) => {
      const [field = '', ...rest] = path.split('.');
      if (field === draftField && rest.length > 0)
        return Object.entries(this.#paths(type, { [rest.join('.')]: value })).map(
          ([one, held]) => [`${field}.${one}`, held] as const,
        );
      if (!holdsNames(field)) {
        const { paths, attribute } = this.#pathsOf(type, path.split('.'));
        return paths.map((one) => [one.join('.'), this.#parts(attribute, value)] as const);
      }
      if (rest.length === 0) return [[path, isRecord(value) ? this.#keys(type, field, value) : value] as const];
      const separator = separatorOf(field);
      const names = separator === '/' ? rest.join('.').split('/') : rest;
      return this.#pathsOf(type, names).paths.map((one) => [`${field}.${one.join(separator)}`, value] as const);
    });
    return Object.fromEntries(entries);
  }

  /** Returns the paths that stand for a path, and the attribute at its end. */
  #pathsOf(type: ContentType | undefined, [step, ...rest]: readonly string[], holder?: Attribute): FoundPaths {
    if (step === undefined) return { paths: [[]], attribute: holder };
    if (type === undefined || isPosition(step)) {
      const below = this.#pathsOf(type, rest, holder);
      return { ...below, paths: below.paths.map((path) => [step, ...path]) };
    }
    const attribute = this.#attribute(type, step);
    const below = this.#pathsOf(this.#holderOf(attribute, rest), rest, attribute);
    const paths = this.namesOf(type.uid, step).flatMap((name) => below.paths.map((path) => [name, ...path]));
    return { paths, attribute: below.attribute };
  }

  /** Returns the component behind an attribute that has the next name of a path. */
  #holderOf(attribute: Attribute | undefined, rest: readonly string[]): ContentType | undefined {
    const next = rest.find((step) => !isPosition(step)) ?? '';
    const types = (attribute === undefined ? [] : componentsOf(attribute)).flatMap((uid) => this.#types.types.get(uid) ?? []);
    return types.find((type) => this.#attribute(type, next) !== undefined) ?? types[0];
  }

  /** Returns the attribute that has one of the names that stand for a name. */
  #attribute(type: ContentType, name: string): Attribute | undefined {
    const names = [name, ...this.namesOf(type.uid, name)];
    return names.flatMap((one) => type.attributes.get(one) ?? [])[0];
  }

  #parts(attribute: Attribute | undefined, value: unknown): unknown {
    return hasParts(attribute) ? mapParts(attribute, value, this.#types, (part, type) => this.#record(type, part)) : value;
  }
}

interface FoundPaths {
  readonly paths: readonly (readonly string[])[];
  readonly attribute: Attribute | undefined;
}

/** Returns whether a field holds values by the names of attributes. */
const holdsNames = (field: string): boolean => ['_ranks', '_unique', '_trigrams', '_links'].includes(field);

const separatorOf = (field: string): string => (field === '_unique' ? '/' : '.');

/** Returns whether a step of a path is a position in a list. */
const isPosition = (step: string): boolean => step.startsWith('$') || /^\d+$/.test(step);

/** Returns the content types that are among some uids, or contain such a component. */
export function typesWith(uids: ReadonlySet<string>, { types }: Types): readonly ContentType[] {
  if (uids.size === 0) return [];
  const holds = memoize((type: ContentType): boolean => {
    if (uids.has(type.uid)) return true;
    const inside = [...type.attributes.values()].flatMap(componentsOf).flatMap((uid) => types.get(uid) ?? []);
    return inside.some((one) => holds(one));
  });
  return [...types.values()].filter((type) => type.kind !== 'component' && holds(type));
}
