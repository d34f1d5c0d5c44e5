import { GraphQLInputObjectType, GraphQLObjectType, GraphQLUnionType, type GraphQLNamedType } from 'graphql';
import { memoize } from '#base/caches.js';
import type { ContentType, Attribute, Registry } from '#model/schema/content-type.js';
import { componentsOf } from '#model/schema/parts.js';

/** The owner of a generated type: a content type or component, or the service if no single one owns it. */
type Owner = ContentType | 'service';

/** Generated types by the uid of their owner and by name. */
type OwnedTypes = ReadonlyMap<string, ReadonlyMap<string, GraphQLNamedType>>;

/** The generated types of one schema. A type is created on first reference. Its fields are created by `complete`. */
export interface TypeStore {
  readonly types: OwnedTypes;
  readonly define: <Type extends GraphQLNamedType>(owner: Owner, name: string, make: (name: string) => Type) => Type;
  /** Creates the fields of all new types, including types that these fields refer to. Pauses after each slice of time. */
  readonly complete: (pause: Pause) => Promise<void>;
}

/** Called between two types. Yields to the event loop after the slice of time. */
type Pause = () => Promise<void> | undefined;

/** Creates a store that begins with complete types of the previous schema. */
export function createTypeStore(ownedTypes: OwnedTypes = new Map()): TypeStore {
  const types = new Map(ownedTypes);
  const made = new Set<GraphQLNamedType>();
  return {
    types,
    define<Type extends GraphQLNamedType>(owner: Owner, name: string, make: (name: string) => Type): Type {
      const key = owner === 'service' ? owner : owner.uid;
      const known = types.get(key)?.get(name);
      // names are unique, because they are derived from uids, which the registry has checked for clashes
      if (known !== undefined) return known as Type;
      const type = make(name);
      types.set(key, new Map(types.get(key)).set(name, type)); // copied, because the former map belongs to the previous schema
      made.add(type);
      return type;
    },
    async complete(pause) {
      // the iterator of a Set also visits items that are added meanwhile
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

/** Returns a pause that waits for the next turn of the event loop if `milliseconds` have passed since the last one. */
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

/**
 * Returns the uids of content types that differ between two registries, and of those that refer to one of them, directly or
 * indirectly.
 */
export function changedUids(before: Registry, after: Registry): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [uid, type] of after.types) if (before.types.get(uid) !== type) changed.add(uid);
  for (const uid of before.types.keys()) if (!after.types.has(uid)) changed.add(uid);
  // types that refer to a new one have changed themselves
  if ([...changed].every((uid) => !before.types.has(uid))) return changed;
  const referrers = referrersOf(after);
  // the iterator of a Set also visits items that are added meanwhile
  for (const uid of changed) for (const referrer of referrers.get(uid) ?? []) changed.add(referrer);
  return changed;
}

/** Returns the types that refer to a type, by uid. */
function referrersOf({ types }: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const referrers = new Map<string, Set<string>>();
  for (const type of types.values())
    for (const uid of targetsOf(type)) referrers.set(uid, (referrers.get(uid) ?? new Set()).add(type.uid));
  return referrers;
}

/** Returns the targets of a type, cached because unchanged types occur in several registries. */
const targetsOf = memoize((type: ContentType) => [...new Set([...type.attributes.values()].flatMap(attributeTargets))]);

/** Returns the types that an attribute names. A morph relation without targets has the union of all types, which follows the registry. */
function attributeTargets(attribute: Attribute): readonly string[] {
  if ('target' in attribute) return [attribute.target];
  return attribute.kind === 'morph' ? (attribute.targets ?? []) : componentsOf(attribute);
}
