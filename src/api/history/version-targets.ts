import type { Version } from './version-store.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { partsIn } from '#model/schema/parts.js';
import type { Values } from '#base/values.js';

type Targets = NonNullable<Version['targets']>;

/** Returns the types that the links of an entry and of its components lead to, by uid and attribute. */
export function targetsOf(entry: Values, type: ContentType, registry: Registry): Targets {
  const targets: Record<string, Record<string, string>> = {};
  const visit = (one: ContentType, values: Values): void => {
    for (const attribute of one.attributes.values()) {
      const value = values[attribute.name];
      if (attribute.kind === 'relation' && attribute.added === null && holdsLinks(value))
        (targets[one.uid] ??= {})[attribute.name] = attribute.target;
      for (const [component, part] of partsIn(attribute, value, registry)) visit(component, part);
    }
  };
  visit(type, entry);
  return targets;
}

const holdsLinks = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null);
