import { isRecord } from '#base/values.js';
import { attributeOf, type ContentType, type Registry, servedAs } from './content-type.js';
import { componentsOf } from './parts.js';

/** Returns a filter for entries of a type, or what is below one, with the names under which attributes are served. */
export function servedFilter(filter: unknown, type: ContentType | undefined, registry: Registry): unknown {
  if (Array.isArray(filter)) return filter.map((one) => servedFilter(one, type, registry));
  if (!isRecord(filter) || type === undefined) return filter;
  const entries = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if (key.startsWith('$')) return [key, servedFilter(value, type, registry)];
    const name = servedAs(type, key);
    return [name, servedFilter(value, targetOf(type, name, registry), registry)];
  });
  return Object.fromEntries(entries);
}

/** Returns the path of a field in a type, such as `seo.metaTitle`, with the names under which attributes are served. */
export function servedPath(path: string, type: ContentType, registry: Registry): string {
  const [name = '', ...inner] = path.split('.');
  const served = servedAs(type, name);
  if (inner.length === 0) return served;
  const target = targetOf(type, served, registry);
  return `${served}.${target === undefined ? inner.join('.') : servedPath(inner.join('.'), target, registry)}`;
}

/** Returns the type that an attribute leads to; undefined if there is none, or more than one. */
function targetOf(type: ContentType, name: string, { types }: Registry): ContentType | undefined {
  const attribute = attributeOf(type, name);
  if (attribute === undefined) return undefined;
  if ('target' in attribute) return types.get(attribute.target);
  const [part, ...more] = componentsOf(attribute);
  return part === undefined || more.length > 0 ? undefined : types.get(part);
}
