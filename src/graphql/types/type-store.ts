import { GraphQLInputObjectType, GraphQLObjectType, GraphQLUnionType, type GraphQLNamedType } from 'graphql';
import type { ContentType, Attribute, Registry } from '../../schema/content-type.js';

/** The owner of a generated type: a content type or component, or all of them. */
type Owner = ContentType | 'service';

/** Generated types by name, by the uid of their owner. */
type OwnedTypes = ReadonlyMap<string, ReadonlyMap<string, GraphQLNamedType>>;

/**
 * The generated types of one schema. A type is made when it is first referred to; its fields are made when `complete` reaches it.
 */
export interface TypeStore {
  readonly types: OwnedTypes;
  readonly define: <Type extends GraphQLNamedType>(owner: Owner, name: string, make: (name: string) => Type) => Type;
  /** Makes the fields of every new type, including types that these fields refer to. Pauses when a slice of time is used up. */
  readonly complete: (pause: Pause) => Promise<void>;
}

/** Called between two types: yields to the event loop when the slice is over. */
export type Pause = () => Promise<void> | undefined;

/** Creates a store that begins with complete types of the previous schema. */
export function createTypeStore(kept: OwnedTypes = new Map()): TypeStore {
  const types = new Map(kept);
  const made = new Set<GraphQLNamedType>();
  return {
    types,
    define<Type extends GraphQLNamedType>(owner: Owner, name: string, make: (name: string) => Type): Type {
      const key = owner === 'service' ? owner : owner.uid;
      const known = types.get(key)?.get(name);
      // a name belongs to one maker: names are derived from uids, which the registry has checked for clashes
      if (known !== undefined) return known as Type;
      const type = make(name);
      types.set(key, new Map(types.get(key)).set(name, type)); // a copy: the former map belongs to the previous schema
      made.add(type);
      return type;
    },
    async complete(pause) {
      // a Set's iterator also visits types that are added while it runs
      for (const type of made) {
        makeFields(type);
        const paused = pause();
        if (paused !== undefined) await paused;
      }
    },
  };
}

function makeFields(type: GraphQLNamedType): void {
  if (type instanceof GraphQLObjectType || type instanceof GraphQLInputObjectType) type.getFields();
  else if (type instanceof GraphQLUnionType) type.getTypes();
}

/** A pause that lasts until the next turn of the event loop, once `milliseconds` of work are done since the last one. */
export function pauseAfter(milliseconds: number): Pause {
  let start = performance.now();
  return () => {
    if (performance.now() - start < milliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        start = performance.now();
        resolve();
      });
    });
  };
}

/** The content types that differ between two registries, and those that lead, through any number of others, to one of them. */
export function changedUids(before: Registry, after: Registry): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [uid, type] of after.types) if (before.types.get(uid) !== type) changed.add(uid);
  for (const uid of before.types.keys()) if (!after.types.has(uid)) changed.add(uid);
  // a type that names one that was missing is changed itself
  if ([...changed].every((uid) => !before.types.has(uid))) return changed;
  const referrers = referrersOf(after);
  // the iterator of a Set also visits items that are added while it runs
  for (const uid of changed) for (const referrer of referrers.get(uid) ?? []) changed.add(referrer);
  return changed;
}

/** By uid: the types that have a field leading there. */
function referrersOf({ types }: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const referrers = new Map<string, Set<string>>();
  for (const type of types.values())
    for (const uid of targetsOf(type)) referrers.set(uid, (referrers.get(uid) ?? new Set()).add(type.uid));
  return referrers;
}

/** Unchanged types are examined once for several registries. */
const targets = new WeakMap<ContentType, readonly string[]>();

function targetsOf(type: ContentType): readonly string[] {
  const known = targets.get(type) ?? [...new Set([...type.attributes.values()].flatMap(attributeTargets))];
  targets.set(type, known);
  return known;
}

function attributeTargets(attribute: Attribute): readonly string[] {
  switch (attribute.kind) {
    case 'scalar':
      return [];
    case 'relation':
    case 'media':
      return [attribute.target];
    case 'component':
      return [attribute.component];
    case 'dynamiczone':
      return attribute.components;
    case 'morph':
      return attribute.targets ?? []; // the union of all types follows the registry by itself
  }
}
