import { isDeepStrictEqual } from 'node:util';
import { fieldErrors } from '#base/errors.js';
import type { AttributeDefinition, Model } from '#model/schema/model.js';
import { isRecord, type Values } from '#base/values.js';
import { Refusal } from './builder-answer.js';
import type { EditedModels } from './edited-models.js';

/** Where attributes are set. */
interface Owner {
  readonly uid: string;
  /** The attributes that the model had; empty for a new one. */
  readonly former: Model['attributes'];
  /** The uids of new components by the ones that the panel has given them. */
  readonly uids: ReadonlyMap<string, string>;
  /** The path of the attributes in the body. */
  readonly path: readonly string[];
}

/** Keys that the panel adds to attributes. */
const added: ReadonlySet<string> = new Set(['targetAttribute', 'dominant', 'conditions', 'configurable']);

/**
 * Returns the attributes of a body in the form of a schema.json, and sets the other sides of relations in their targets. Attributes
 * that the panel does not show stay. Throws a Refusal for an unknown component, and a ValidationError if the other side of a relation
 * would replace another attribute.
 */
export function buildAttributes(given: Values, owner: Owner, models: EditedModels): Model['attributes'] {
  const hidden = Object.entries(owner.former).filter(([, { visible, writable }]) => visible === false || writable === false);
  const built = new Map(hidden);
  for (const [name, attribute] of Object.entries(given))
    if (isRecord(attribute)) built.set(name, attributeOf(name, attribute, owner, models));
  for (const [name, attribute] of built) if (attribute.type === 'relation') symmetric(name, attribute, { ...owner, built });
  removeOtherSides(built, owner, models);
  for (const [name, attribute] of built) setOtherSide(name, attribute, { ...owner, built }, models);
  return withFormerNames(built, owner.former);
}

/**
 * Returns attributes with the names that they had before: the panel sends a renamed one as one that is gone and one that is new. They are
 * the same if no other one of the same definition is gone or new. Former names stay, because the panel does not send them.
 */
function withFormerNames(built: ReadonlyMap<string, AttributeDefinition>, former: Model['attributes']): Model['attributes'] {
  const gone = Object.entries(former).filter(([name]) => !built.has(name));
  const added = [...built].filter(([name]) => !Object.hasOwn(former, name));
  const isSame = ([, one]: NamedAttribute, [, other]: NamedAttribute): boolean =>
    isDeepStrictEqual(essenceOf(one), essenceOf(other));
  const nameOf = (attribute: NamedAttribute): string | undefined => {
    const [name, { renamedFrom }] = attribute;
    const renamedName = renamedFrom ?? former[name]?.renamedFrom;
    if (renamedName !== undefined || Object.hasOwn(former, name))
      return renamedName !== undefined && built.has(renamedName) ? undefined : renamedName;
    const [source, ...more] = gone.filter((one) => isSame(one, attribute));
    const isAlone = more.length === 0 && added.filter((one) => isSame(one, attribute)).length === 1;
    return isAlone ? source?.[0] : undefined;
  };
  return Object.fromEntries(
    [...built].map(([name, definition]) => {
      const renamedFrom = nameOf([name, definition]);
      return [name, renamedFrom === undefined ? definition : { ...definition, renamedFrom }];
    }),
  );
}

type NamedAttribute = readonly [name: string, definition: AttributeDefinition];

/** Returns what distinguishes a definition: without its former name, and without keys that mean nothing. */
const essenceOf = (definition: AttributeDefinition): object =>
  Object.fromEntries(
    Object.entries(definition).filter(([key, value]) => key !== 'renamedFrom' && !added.has(key) && !isVoid(value)),
  );

const isVoid = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (isRecord(value) && Object.keys(value).length === 0);

interface Building extends Owner {
  readonly built: Map<string, AttributeDefinition>;
}

/** Makes one side of a symmetric relation of a type to itself the mapped one: the panel sends both sides alike. */
function symmetric(name: string, attribute: AttributeDefinition, { uid, built }: Building): void {
  const other = attribute.target === uid && attribute.inversedBy !== name ? built.get(attribute.inversedBy ?? '') : undefined;
  if (other?.inversedBy !== name) return;
  const { inversedBy, ...rest } = other;
  built.set(attribute.inversedBy ?? '', { ...rest, mappedBy: inversedBy });
}

/** Removes the other sides of relations that are gone, or lead elsewhere now. */
function removeOtherSides(built: ReadonlyMap<string, AttributeDefinition>, { former, uid }: Owner, models: EditedModels): void {
  for (const [name, attribute] of Object.entries(former)) {
    const other = otherSideOf(attribute);
    const now = built.get(name);
    const stays =
      now !== undefined && now.target === attribute.target && otherSideOf(now) === other && now.relation === attribute.relation;
    if (other !== null && !stays && attribute.target !== uid) models.setAttribute(String(attribute.target), other, null);
  }
}

const otherSideOf = ({ type, inversedBy, mappedBy }: AttributeDefinition): string | null =>
  type === 'relation' ? (inversedBy ?? mappedBy ?? null) : null;

function attributeOf(name: string, given: Values, owner: Owner, models: EditedModels): AttributeDefinition {
  const entries = Object.entries(given).filter(([key, value]) => !added.has(key) && value !== undefined && value !== null);
  const kept = entries.filter(([key, value]) => !(key === 'private' && value === false));
  const attribute = Object.fromEntries(kept) as unknown as AttributeDefinition; // the schema has checked its type
  const resolved = withComponents(attribute, owner, models);
  return attribute.type === 'relation' ? relationOf(name, { input: given, attribute: resolved }, owner) : resolved;
}

function withComponents(attribute: AttributeDefinition, { uids }: Owner, models: EditedModels): AttributeDefinition {
  const known = (uid: string): string => {
    const found = uids.get(uid) ?? uid;
    if (models.get(found) === undefined || found.includes('::')) throw new Refusal(400, 'component.notFound');
    return found;
  };
  return {
    ...attribute,
    ...(attribute.component !== undefined && { component: known(attribute.component) }),
    ...(attribute.components !== undefined && { components: attribute.components.map(known) }),
  };
}

interface Relation {
  readonly input: Values;
  readonly attribute: AttributeDefinition;
}

/** The relation of the other side. */
const inverse: Readonly<Record<string, string>> = {
  ...{ oneToOne: 'oneToOne', manyToMany: 'manyToMany' },
  ...{ oneToMany: 'manyToOne', manyToOne: 'oneToMany' },
};

/** Returns a relation. The side with `inversedBy` stores the links. */
function relationOf(name: string, { input, attribute }: Relation, { uid, former }: Owner): AttributeDefinition {
  const { inversedBy, mappedBy, ...plain } = attribute;
  const target = ['__self__', '__contentType__'].includes(String(plain.target)) ? uid : plain.target;
  const relation = target === undefined ? plain : { ...plain, target };
  const { targetAttribute } = input;
  const other = targetAttribute === undefined ? (inversedBy ?? mappedBy ?? '') : targetAttribute;
  if (typeof other !== 'string' || other === '' || typeof target !== 'string' || !Object.hasOwn(inverse, String(plain.relation)))
    return relation;
  const isMapped =
    plain.relation === 'oneToMany' ||
    (plain.relation !== 'manyToOne' && (input['dominant'] === false || (former[name]?.mappedBy ?? null) !== null));
  return { ...relation, ...(isMapped ? { mappedBy: other } : { inversedBy: other }) };
}

/** Sets the other side of a relation, unless it is there already. */
function setOtherSide(name: string, attribute: AttributeDefinition, { uid, path, built }: Building, models: EditedModels): void {
  const other = otherSideOf(attribute);
  if (other === null || typeof attribute.target !== 'string') return;
  const target = attribute.target;
  const definition = target === uid ? built.get(other) : models.get(target)?.attributes[other];
  if (definition?.type === 'relation' && definition.target === uid && otherSideOf(definition) === name) return;
  if (definition !== undefined)
    throw fieldErrors([{ path: [...path, name, 'targetAttribute'], message: `${target} has another attribute ${other}` }]);
  const side: AttributeDefinition = {
    ...{ type: 'relation', relation: inverse[String(attribute.relation)] ?? 'oneToOne', target: uid },
    ...(attribute.mappedBy === other ? { inversedBy: name } : { mappedBy: name }),
  };
  if (target === uid) built.set(other, side);
  else models.setAttribute(target, other, side);
}
