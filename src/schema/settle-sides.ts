import { targetsOf, type AttributeDefinition, type Model } from './model.js';

/**
 * One side of a relation, as it is served. The owner keeps the links; `other` is the attribute of the target that shows them from
 * its side, if there is one. An inverse shows the links that the attribute `other` of its target keeps.
 */
export type Side =
  { readonly kind: 'owner'; readonly other: string | null } | { readonly kind: 'inverse'; readonly other: string };

/** An attribute that refers to other models, or to another attribute of its own. */
export interface Reference {
  readonly model: Model;
  readonly name: string;
  readonly definition: AttributeDefinition;
  /** `<uid> <attribute>` */
  readonly key: string;
  /** The uids that a relation names. */
  readonly targets: readonly string[];
  /** The uids of all models that the attribute names. */
  readonly needs: readonly string[];
}

const keyOf = (uid: string, name: string): string => `${uid} ${name}`;

const references = new WeakMap<Model, readonly Reference[]>();

/** Returns the attributes of a model that refer to something. Models are not changed: each is looked through once. */
export function referencesOf(model: Model): readonly Reference[] {
  const found = references.get(model) ?? findReferences(model);
  references.set(model, found);
  return found;
}

const findReferences = (model: Model): readonly Reference[] =>
  Object.entries(model.attributes)
    .filter(([, { type }]) => referringTypes.has(type))
    .map(([name, definition]) => {
      const targets = targetsOf(definition);
      const needs = [...targets, definition.component ?? [], definition.components ?? []].flat();
      return { model, name, definition, key: keyOf(model.uid, name), targets, needs };
    });

const referringTypes: ReadonlySet<string> = new Set(['component', 'dynamiczone', 'relation', 'uid']);

/**
 * Decides for every relation which side keeps its links, as Strapi v4 does when its models disagree: each owner takes the attribute
 * that it names as its inverse, and where several claim one, the later wins. By `<uid> <attribute>`; a relation that has no side is
 * the inverse of nothing. The sides of a model are right if it and all its targets are among `claimants`: others claim none of them.
 */
export function settleSides(claimants: readonly Model[], models: ReadonlyMap<string, Model>): ReadonlyMap<string, Side> {
  const sides = new Map<string, Side>();
  for (const model of claimants)
    for (const reference of referencesOf(model)) if (isOwner(reference)) claim(reference, models, sides);
  return sides;
}

const isTwoSided = ({ type, relation }: AttributeDefinition): boolean =>
  type === 'relation' && relation?.startsWith('morph') === false;

const isOwner = ({ definition }: Reference): boolean =>
  isTwoSided(definition) && (Boolean(definition.inversedBy) || !definition.mappedBy);

function claim(
  { model, name, definition, key: own }: Reference,
  models: ReadonlyMap<string, Model>,
  sides: Map<string, Side>,
): void {
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
  model.kind !== undefined && other !== undefined && isTwoSided(other) && other.target === model.uid;

/** A side that gets another partner leaves its former one alone. `target`: where the former one is. */
function release(former: Side | undefined, target: string, sides: Map<string, Side>): void {
  if (former === undefined || former.other === null) return;
  const key = keyOf(target, former.other);
  const partner = sides.get(key);
  if (partner?.kind === 'owner') sides.set(key, { kind: 'owner', other: null });
  else sides.delete(key);
}
