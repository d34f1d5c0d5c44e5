import type { GraphQLResolveInfo } from 'graphql';

type Path = GraphQLResolveInfo['path'];

/**
 * Under which key of a loaded entry a populated attribute lies. That is the attribute's name while neither it nor the `data`
 * and `attributes` around it have an alias. With one, the keys of the answer say apart what the query asks for twice.
 * Attribute names have no colon, so such a key is never one.
 */
export function childKey(name: string, around: readonly string[], alias: string): string {
  const plain = alias === name && around.every((key) => key === 'data' || key === 'attributes');
  return plain ? name : [...around, alias, name].join(':');
}

/** The same key from the place in the answer that a resolver works for; `entity` is the type around it, null for components. */
export function childKeyAt(name: string, entity: string | null, path: Path): string {
  return childKey(name, keysAround(path.prev, entity), String(path.key));
}

/** The response keys of `data` and `attributes`; none inside components and entries reached by a polymorphic relation. */
function keysAround(holder: Path | undefined, entity: string | null): string[] {
  if (entity === null || holder?.typename !== entity) return [];
  const data = typeof holder.prev?.key === 'number' ? holder.prev.prev : holder.prev;
  return [String(data?.key), String(holder.key)];
}
