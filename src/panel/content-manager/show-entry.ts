import type { ContentContext } from '../../content/content-context.js';
import { createShaper, type Presentation, type Shaped } from '../../content/shape-values.js';
import type { Loaded } from '../../mongo/form/loaded.js';
import type { ContentType } from '../../schema/content-type.js';
import type { PanelCall } from '../panel-route.js';
import { fieldPaths } from '../rights/field-paths.js';
import { fieldsFor } from '../rights/rights.js';

/** Entries are flat objects. An empty list of files is null, as in Strapi v4. */
export const flat: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_, values) => values,
  one: (entry) => entry,
  many: (entries, link) => (link.kind === 'media' && entries.length === 0 ? null : entries),
  count: (count) => ({ count }),
  targets: (targets) => targets,
  isAnswer: true,
};

/** Returns a function that shows the entries of a type as an administrator may see them. */
export function entryShower(type: ContentType, call: PanelCall, { bind }: ContentContext): (entry: Loaded) => Shaped {
  const shape = createShaper(flat, bind.budget);
  if (call.rights.isSuper) return shape;
  const allowed = fieldsFor(call.rights, type.uid);
  const components = [...type.attributes.values()].filter(({ kind }) => kind === 'component');
  const known = new Set(fieldPaths(type, bind.registry));
  return (entry) => {
    const shown = shape(entry);
    for (const { name } of components) shown[name] = withoutHidden(shown[name], name, { allowed, known });
    return shown;
  };
}

interface Fields {
  /** Paths that permissions name. A path allows all that is below it. */
  readonly allowed: ReadonlySet<string>;
  /** Paths that permissions can name. */
  readonly known: ReadonlySet<string>;
}

/** Returns a component without the values whose path no permission names. */
function withoutHidden(value: unknown, path: string, fields: Fields): unknown {
  if (fields.allowed.has(path) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutHidden(item, path, fields));
  const kept = Object.entries(value).filter(([name]) => name === 'id' || isAllowed(`${path}.${name}`, fields));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutHidden(inner, `${path}.${name}`, fields)]));
}

const isAllowed = (path: string, { allowed, known }: Fields): boolean =>
  allowed.has(path) || [...allowed].some((other) => other.startsWith(`${path}.`)) || (!known.has(path) && !hasBelow(path, known));

const hasBelow = (path: string, known: ReadonlySet<string>): boolean => [...known].some((other) => other.startsWith(`${path}.`));
