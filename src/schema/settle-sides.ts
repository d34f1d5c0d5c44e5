import type { AttributeDefinition, Model } from './model.js';

/**
 * One side of a relation, as it is served. The owner keeps the links; `other` is the attribute of the target that shows them from
 * its side, if there is one. An inverse shows the links that the attribute `other` of its target keeps.
 */
export type Side =
  { readonly kind: 'owner'; readonly other: string | null } | { readonly kind: 'inverse'; readonly other: string };

interface Relation {
  readonly model: Model;
  readonly name: string;
  readonly definition: AttributeDefinition;
}

/**
 * Decides for every relation which side keeps its links, as Strapi v4 does when its models disagree: each owner takes the attribute
 * that it names as its inverse, and where several claim one, the later wins. By `<uid> <attribute>`; a relation that has no side is
 * the inverse of nothing.
 */
export function settleSides(models: ReadonlyMap<string, Model>): ReadonlyMap<string, Side> {
  const sides = new Map<string, Side>();
  for (const relation of relationsOf(models)) if (isOwner(relation.definition)) claim(relation, models, sides);
  return sides;
}

const relationsOf = (models: ReadonlyMap<string, Model>): Relation[] =>
  [...models.values()].flatMap((model) =>
    Object.entries(model.attributes).flatMap(([name, definition]) =>
      definition.type === 'relation' && definition.relation?.startsWith('morph') === false ? [{ model, name, definition }] : [],
    ),
  );

const isOwner = ({ inversedBy, mappedBy }: AttributeDefinition): boolean => Boolean(inversedBy) || !mappedBy;

const keyOf = (uid: string, name: string): string => `${uid} ${name}`;

function claim({ model, name, definition }: Relation, models: ReadonlyMap<string, Model>, sides: Map<string, Side>): void {
  const own = keyOf(model.uid, name);
  release(sides.get(own), String(definition.target), sides);
  sides.set(own, { kind: 'owner', other: null });
  const other = definition.inversedBy ?? null;
  const target = models.get(String(definition.target));
  if (!other || target === undefined || !isPartner(target.attributes[other], model)) return;
  const key = keyOf(target.uid, other);
  if (key === own) return;
  release(sides.get(key), model.uid, sides);
  sides.set(own, { kind: 'owner', other });
  sides.set(key, { kind: 'inverse', other: name });
}

/** Components are no targets: their relations are one-way. */
const isPartner = (other: AttributeDefinition | undefined, model: Model): boolean =>
  model.kind !== undefined &&
  other?.type === 'relation' &&
  other.relation?.startsWith('morph') === false &&
  other.target === model.uid;

/** A side that gets another partner leaves its former one alone. `target`: where the former one is. */
function release(former: Side | undefined, target: string, sides: Map<string, Side>): void {
  if (former === undefined || former.other === null) return;
  const key = keyOf(target, former.other);
  const partner = sides.get(key);
  if (partner?.kind === 'owner') sides.set(key, { kind: 'owner', other: null });
  else sides.delete(key);
}
