import type { Loaded, Related } from '../mongo/loaded.js';
import type { Child } from '../query/plan.js';
import type { LinkAttribute, MorphAttribute } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';

/** The values of an entry in an answer, by attribute or alias. */
export type Shaped = Record<string, unknown>;

/** How a front end shows what entries lead to. */
export interface Presentation {
  /** A related entry. */
  readonly entry: (entry: Loaded) => unknown;
  /** The value of a relation to one; null if there is none. */
  readonly one: (entry: unknown) => unknown;
  /** The value of a relation to many. */
  readonly many: (entries: readonly unknown[], link: LinkAttribute) => unknown;
  /** The value of a relation of which only the number was asked for. */
  readonly count: (count: number) => unknown;
  /** The value of a polymorphic relation; undefined leaves its key out. */
  readonly targets: (targets: readonly Shaped[], attribute: MorphAttribute) => unknown;
}

/**
 * Adds to `values` what is loaded of an entry or component: its scalars, and everything that it populates. The one walk over a
 * loaded tree; each front end has its presentation.
 */
export function shapeValues(values: Shaped, { document, selection, children }: Loaded, presentation: Presentation): Shaped {
  for (const { name, type } of selection.fields) {
    const value = document[name];
    values[name] = value === null || value === undefined ? null : scalarTypes[type].output(value);
  }
  for (const [slot, child] of selection.children.entries()) {
    const shaped = shapeChild(child, children[slot] ?? [], presentation);
    if (shaped !== undefined) values[child.key] = shaped;
  }
  return values;
}

function shapeChild(child: Child, related: Related, presentation: Presentation): unknown {
  if (typeof related === 'number') return presentation.count(related);
  switch (child.kind) {
    case 'link':
      return shapeLink(child.link, related, presentation);
    case 'morph':
      return presentation.targets(
        related.map((target) => shapeTarget(target, presentation)),
        child.attribute,
      );
    case 'component': {
      const parts = related.map((part) => shapeValues({ id: part.document['id'] }, part, presentation));
      return child.attribute.repeatable ? parts : (parts[0] ?? null);
    }
    case 'zone':
      return related.map((part) => shapePart(part, presentation));
  }
}

function shapeLink(link: LinkAttribute, related: readonly Loaded[], { entry, one, many }: Presentation): unknown {
  if (link.many) return many(related.map(entry), link);
  const [only] = related;
  return one(only === undefined ? null : entry(only));
}

/** Targets of a polymorphic relation, entries or components, are shown bare, with their type. */
const shapeTarget = (target: Loaded, presentation: Presentation): Shaped => {
  const { document, selection } = target;
  return shapeValues({ __type: selection.type.uid, id: document['_id'] ?? document['id'] }, target, presentation);
};

/** The parts of a dynamic zone name their component. */
const shapePart = (part: Loaded, presentation: Presentation): Shaped =>
  shapeValues({ id: part.document['id'], __component: part.selection.type.uid }, part, presentation);
