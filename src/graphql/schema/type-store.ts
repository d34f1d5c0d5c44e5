import { GraphQLInputObjectType, GraphQLObjectType, GraphQLUnionType } from 'graphql';
import type { GraphQLNamedType } from 'graphql';

/**
 * The generated types of one schema, by name. A type is made when it is first asked for, so what nothing refers to is
 * never made, and its fields are made when `complete` reaches it.
 */
export interface TypeStore {
  readonly define: <Type extends GraphQLNamedType>(name: string, make: (name: string) => Type) => Type;
  /** Makes the fields of every type, of those that come up on the way too, and pauses where a slice of time is used up. */
  readonly complete: (pause: Pause) => Promise<void>;
}

/** Called between two types: gives the event loop back when the slice is over. */
export type Pause = () => Promise<void> | undefined;

export function createTypeStore(): TypeStore {
  const types = new Map<string, GraphQLNamedType>();
  return {
    define<Type extends GraphQLNamedType>(name: string, make: (name: string) => Type): Type {
      const known = types.get(name);
      // a name belongs to one maker: names are derived from uids, which the registry has checked for clashes
      if (known !== undefined) return known as Type;
      const made = make(name);
      types.set(name, made);
      return made;
    },
    async complete(pause) {
      // a Map's iterator also visits entries that are added while it runs
      for (const type of types.values()) {
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
