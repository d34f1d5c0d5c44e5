import { memoize } from '#base/caches.js';
import { targetsOf, type AttributeDefinition, type Model } from './model.js';

/**
 * One side of a relation, as it is served. The owner stores the links; `other` is the attribute of the target that shows them
 * from its side, if there is one. An inverse shows the links that the attribute `other` of its target stores.
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

/**
 * Returns the attributes of a model that refer to other models or attributes. They are computed once, because models are
 * immutable.
 */
export const referencesOf = memoize((model: Model): readonly Reference[] =>
  Object.entries(model.attributes)
    .filter(([, { type }]) => referringTypes.has(type))
    .map(([name, definition]) => {
      const targets = targetsOf(definition);
      const needs = [...targets, definition.component ?? [], definition.components ?? []].flat();
      return { model, name, definition, key: keyOf(model.uid, name), targets, needs };
    }),
);

const referringTypes: ReadonlySet<string> = new Set(['component', 'dynamiczone', 'relation', 'uid']);

/**
 * Determines for every relation which side stores its links, by `<uid> <attribute>`. As in Strapi v4, each owner gets the
 * attribute that it names as its inverse; if several owners name the same attribute, the last one gets it. An inverse that no
 * owner names is missing in the result. The sides of a model are complete if it and all its targets are among `claimants`,
 * because no other model can name its attributes.
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

/**
 * Returns whether an attribute can be the other side of a relation of a model. Relations of components are one-way, because
 * components cannot be targets.
 */
const isPartner = (other: AttributeDefinition | undefined, model: Model): boolean =>
  model.kind !== undefined && other !== undefined && isTwoSided(other) && other.target === model.uid;

/** Separates a side from its former partner, before it gets another one. `target` is the uid of the former partner's type. */
function release(former: Side | undefined, target: string, sides: Map<string, Side>): void {
  if (former === undefined || former.other === null) return;
  const key = keyOf(target, former.other);
  const partner = sides.get(key);
  if (partner?.kind === 'owner') sides.set(key, { kind: 'owner', other: null });
  else sides.delete(key);
}

/** Returns whether a definition already describes the side of its relation that was determined. */
export function isWritten({ kind, other }: Side, { inversedBy, mappedBy }: AttributeDefinition): boolean {
  const [own, foreign] = kind === 'inverse' ? [mappedBy, inversedBy] : [inversedBy, mappedBy];
  return (own || null) === other && !foreign;
}

/** Returns why two sides of a relation do not fit. */
export function otherSide({ target, inversedBy, mappedBy }: AttributeDefinition): string {
  const name = inversedBy ?? mappedBy;
  return name
    ? `${String(target)}.${name} is not the other side of this relation`
    : 'another relation names this as its other side';
}
