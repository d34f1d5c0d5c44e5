/** A field or argument that has a type and nothing else. */
export interface PlainField<Type> {
  readonly type: Type;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** graphql-js makes an empty map for every field that comes without one; in a large schema they weigh a third of it. */
const noExtensions = Object.freeze(Object.create(null) as Record<string, unknown>); // Object.create is untyped

const known = new WeakMap<object, PlainField<object>>();

/** The plain field of a type, one object however often it is asked for: most fields of a schema are of a few scalars. */
export function plainField<Type extends object>(type: Type): PlainField<Type> {
  const made = known.get(type) ?? { type, extensions: noExtensions };
  known.set(type, made);
  return made as PlainField<Type>; // made of this type
}
