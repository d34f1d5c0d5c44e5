import type { Attribute, ContentType } from './content-type.js';

/** Returns the uids that stored links to entries of a type may name. */
export const uidsOf = ({ uid, otherUid }: Pick<ContentType, 'uid' | 'otherUid'>): readonly string[] =>
  otherUid === undefined ? [uid] : [uid, otherUid];

type Named = Pick<ContentType, 'attributes' | 'aliases'>;

/** Returns the name under which an attribute is served; a name that is no alias unchanged. */
export const servedAs = ({ attributes, aliases }: Named, name: string): string =>
  aliases === undefined || attributes.has(name) ? name : (aliases.get(name) ?? name);

/** Returns the attribute of a name or alias. */
export const attributeOf = (type: Named, name: string): Attribute | undefined => type.attributes.get(servedAs(type, name));

/** Returns values by the names under which attributes are served. A value under the served name comes before one under an alias. */
export function underServedNames<Value>(type: Named, values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const { aliases } = type;
  if (aliases === undefined || !Object.keys(values).some((name) => aliases.has(name))) return values;
  const named = Object.entries(values).map(([name, value]) => [servedAs(type, name), value] as const);
  return { ...Object.fromEntries(named), ...Object.fromEntries(Object.entries(values).filter(([name]) => !aliases.has(name))) };
}
