import type { ContentContext } from '#content/content-context.js';
import type { Shaped } from '#content/shape-values.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { type ContentType, servedAs } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { fieldPaths } from '../rights/field-paths.js';
import { fieldsFor } from '../rights/rights.js';
import { showAll } from '../show-entries.js';

/** Returns entries of a type as an administrator may see them. */
export function showPermitted(
  entries: readonly LoadedEntry[],
  type: ContentType,
  call: PanelCall,
  context: ContentContext,
): Shaped[] {
  const bodies = showAll(entries, context);
  if (call.rights.isSuper) return bodies;
  const fields = fieldsOf(type, call);
  const components = [...type.attributes.values()].filter(({ kind }) => kind === 'component');
  for (const entry of bodies) for (const { name } of components) entry[name] = withoutHidden(entry[name], name, fields);
  return bodies;
}

/** Returns the values of an entry of a type, such as those of a version, that an administrator may see. */
export function permittedValues(values: Values, type: ContentType, call: PanelCall): Values {
  if (call.rights.isSuper) return values;
  // A version may have values of attributes that the model has no more, and that no permission can name.
  const fields: Fields = { allowed: fieldsFor(call.rights, type.uid), fieldPaths: null };
  const isAdded = (name: string): boolean => name === 'id' || (type.attributes.get(name)?.added ?? null) !== null;
  const allowed = Object.entries(values).filter(([name]) => isAdded(name) || isAllowed(servedAs(type, name), fields));
  return Object.fromEntries(allowed.map(([name, value]) => [name, shownPart(value, servedAs(type, name), { type, fields })]));
}

/** Returns the value of an attribute, a component without what is hidden in it. */
const shownPart = (value: unknown, name: string, { type, fields }: { readonly type: ContentType; readonly fields: Fields }) =>
  type.attributes.get(name)?.kind === 'component' ? withoutHidden(value, name, fields) : value;

const fieldsOf = (type: ContentType, { rights, content }: PanelCall): Fields => ({
  allowed: fieldsFor(rights, type.uid),
  fieldPaths: new Set(fieldPaths(type, content.bind.registry)),
});

interface Fields {
  /** Paths that permissions name. A path allows all that is below it. */
  readonly allowed: ReadonlySet<string>;
  /** Paths that permissions can name; others are shown. Null if only what permissions name is shown. */
  readonly fieldPaths: ReadonlySet<string> | null;
}

/** Returns a component without the values whose path no permission names. */
function withoutHidden(value: unknown, path: string, fields: Fields): unknown {
  if (fields.allowed.has(path) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutHidden(item, path, fields));
  const allowed = Object.entries(value).filter(([name]) => name === 'id' || isAllowed(`${path}.${name}`, fields));
  return Object.fromEntries(allowed.map(([name, inner]) => [name, withoutHidden(inner, `${path}.${name}`, fields)]));
}

const isAllowed = (path: string, { allowed, fieldPaths }: Fields): boolean =>
  allowed.has(path) || hasBelow(path, allowed) || (fieldPaths !== null && !fieldPaths.has(path) && !hasBelow(path, fieldPaths));

const hasBelow = (path: string, paths: ReadonlySet<string>): boolean => [...paths].some((other) => other.startsWith(`${path}.`));
