import { isDeepStrictEqual } from 'node:util';
import { didYouMean } from '#base/nearest-name.js';
import { targetsOf, type AttributeDefinition, type Model, type ModelWarning } from './model.js';
import { type Reference, referencesOf, settleSides, type Side, isWritten, otherSide } from './settle-sides.js';

/** A model in which each reference has a target, and each relation agrees with its other side. */
export interface SettledModel {
  readonly model: Model;
  readonly warnings: readonly ModelWarning[];
}

/** Models by uid: all that are in force. */
type Models = ReadonlyMap<string, Model>;

/**
 * The replacement of a reference without a target, or with another side that disagrees. If the definition is null, the attribute
 * is left out.
 */
interface Settled {
  readonly definition: AttributeDefinition | null;
  readonly warnings: readonly Omit<ModelWarning, 'attribute'>[];
}

/** The models and relations that references are resolved in. */
interface World extends InForce {
  readonly sides: ReadonlyMap<string, Side>;
}

/** The models in force, and the reasons why others are refused, by uid. */
interface InForce {
  readonly models: Models;
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

/** The models of an earlier snapshot: as they were written, and with resolved references. */
interface Former {
  readonly models: Models;
  readonly settled: ReadonlyMap<string, SettledModel>;
}

/**
 * Resolves the references between models. An attribute that names a component or type that is not in force is left out until the
 * type is in force. Relations whose sides disagree are served as in Strapi v4. Models that need no change are returned as they
 * are. If the result for a model equals that in the former snapshot, it is the same object.
 */
export function settleReferences({ models, problems }: InForce, former?: Former): ReadonlyMap<string, SettledModel> {
  const kept: Former['settled'] = former === undefined ? new Map() : keepSettled(models, former);
  const open = [...models.values()].filter(({ uid }) => !kept.has(uid));
  const world = { models, problems, sides: settleSides(withTargets(open, models), models) };
  const settleAgain = (model: Model): SettledModel => unlessSame(settleModel(model, world), former?.settled.get(model.uid));
  return new Map([...models].map(([uid, model]) => [uid, kept.get(uid) ?? settleAgain(model)]));
}

/** Returns the former models that are still valid, because neither they nor the models that they name have changed. */
function keepSettled(models: Models, former: Former): Former['settled'] {
  const changed = new Set<string>();
  for (const [uid, model] of models) if (former.models.get(uid) !== model) changed.add(uid);
  for (const uid of former.models.keys()) if (!models.has(uid)) changed.add(uid);
  const isComponent = (model: Model | undefined): boolean => model !== undefined && model.kind === undefined;
  // a changed component may contain itself through others
  if ([...changed].some((uid) => isComponent(models.get(uid)) || isComponent(former.models.get(uid)))) return new Map();
  const namesChanged = (model: Model): boolean => referencesOf(model).some(({ needs }) => needs.some((uid) => changed.has(uid)));
  // a warning may propose another model
  const isKept = ({ model, warnings }: SettledModel): boolean =>
    warnings.length === 0 && !changed.has(model.uid) && !namesChanged(model);
  return new Map([...former.settled].filter(([, settled]) => isKept(settled)));
}

/** Returns models and the targets of their relations, in the order of all models. */
function withTargets(models: readonly Model[], all: Models): readonly Model[] {
  const uids = new Set(models.flatMap((model) => [model.uid, ...referencesOf(model).flatMap(({ targets }) => targets)]));
  return [...all.values()].filter(({ uid }) => uids.has(uid));
}

const unlessSame = (now: SettledModel, before: SettledModel | undefined): SettledModel =>
  before !== undefined && isDeepStrictEqual(before, now) ? before : now;

function settleModel(model: Model, world: World): SettledModel {
  const changes = referencesOf(model).flatMap((reference) => {
    const settled = settle(reference, world);
    return settled === null ? [] : [{ name: reference.name, ...settled }];
  });
  if (changes.length === 0) return { model, warnings: [] };
  const warnings = changes.flatMap((change) => change.warnings.map((warning) => ({ attribute: change.name, ...warning })));
  const settled = new Map(changes.map(({ name, definition }) => [name, definition]));
  const attributes = Object.entries(model.attributes).flatMap(([name, written]) => {
    const definition = settled.has(name) ? settled.get(name) : written;
    return definition === null || definition === undefined ? [] : [[name, definition] as const];
  });
  return { model: { ...model, attributes: Object.fromEntries(attributes) }, warnings };
}

/** Returns the replacement of a reference; null if it needs none. */
function settle(reference: Reference, world: World): Settled | null {
  switch (reference.definition.type) {
    case 'component':
      return settleComponent(reference, world);
    case 'dynamiczone':
      return settleZone(reference, world);
    case 'relation':
      return settleRelation(reference, world);
    default:
      return settleUid(reference);
  }
}

function settleComponent({ model, definition }: Reference, world: World): Settled | null {
  const uid = definition.component ?? '';
  const problem = componentProblem(uid, model, world);
  return problem === null ? null : leftOut(uid, problem);
}

function settleZone({ model, definition }: Reference, world: World): Settled | null {
  const components = definition.components ?? [];
  const missing = components.flatMap((uid) => {
    const problem = componentProblem(uid, model, world);
    return problem === null ? [] : [{ uid, problem }];
  });
  if (missing.length === 0) return null;
  if (missing.length === components.length)
    return { definition: null, warnings: missing.map(({ uid, problem }) => leftOutWarning(uid, problem)) };
  const present = components.filter((uid) => missing.every((one) => one.uid !== uid));
  const warnings = missing.map(({ uid, problem }) => ({ text: `${problem}: it is left out of the zone`, needs: uid }));
  return { definition: { ...definition, components: present }, warnings };
}

function componentProblem(uid: string, model: Model, world: World): string | null {
  const { models } = world;
  const component = models.get(uid);
  if (component === undefined) return unknown('component', uid, world);
  if (component.kind !== undefined) return `${uid} is not a component`;
  return model.kind === undefined && reaches(uid, model.uid, models) ? `${uid} contains ${model.uid}` : null;
}

/** Returns whether a component contains another, directly or through others. */
function reaches(from: string, to: string, models: Models): boolean {
  const visited = new Set<string>();
  const open = [from];
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    if (uid === to) return true;
    if (visited.has(uid)) continue;
    visited.add(uid);
    open.push(...heldComponents(models.get(uid)));
  }
  return false;
}

const heldComponents = (model: Model | undefined): string[] =>
  Object.values(model?.attributes ?? {}).flatMap(({ type, component = '', components = [] }) =>
    type === 'component' ? [component] : type === 'dynamiczone' ? [...components] : [],
  );

function settleUid({ model, definition }: Reference): Settled | null {
  const { targetField, ...rest } = definition;
  if (targetField === undefined || targetField in model.attributes) return null;
  return {
    definition: rest,
    warnings: [{ text: `targetField ${JSON.stringify(targetField)} is not an attribute`, needs: null }],
  };
}

function settleRelation(reference: Reference, world: World): Settled | null {
  const { definition, targets } = reference;
  const { relation = '' } = definition;
  const missing = targets.filter((uid) => world.models.get(uid)?.kind === undefined);
  if (relation.startsWith('morphTo')) return missing.length === 0 ? null : settleMorph(reference, missing, world);
  const [target] = missing;
  if (target !== undefined) return leftOut(target, unknown('content type', target, world));
  return relation.startsWith('morph') ? settleMorphSide(reference, world) : settleSide(reference, world);
}

function settleMorph({ definition, targets }: Reference, missing: readonly string[], world: World): Settled {
  const present = targets.filter((uid) => !missing.includes(uid));
  const warnings = missing.map((uid) => ({ text: unknown('content type', uid, world), needs: uid }));
  return { definition: present.length === 0 ? null : { ...definition, target: present }, warnings };
}

function settleMorphSide({ model, definition }: Reference, { models }: World): Settled | null {
  const { morphBy = '', target } = definition;
  const other = models.get(String(target))?.attributes[morphBy];
  if (other?.relation?.startsWith('morphTo') !== true)
    return empty(definition, `${String(target)} has no polymorphic attribute ${JSON.stringify(morphBy)}`);
  const leadsHere = other.target === undefined || targetsOf(other).includes(model.uid);
  return leadsHere ? null : empty(definition, `${String(target)}.${morphBy} does not lead to this type`);
}

function settleSide({ definition, key }: Reference, { sides }: World): Settled | null {
  const side = sides.get(key);
  if (side !== undefined && isWritten(side, definition)) return null;
  const alone = { ...definition, inversedBy: null, mappedBy: null };
  if (side === undefined) return empty(alone, otherSide(definition));
  const settled = { ...alone, [side.kind === 'inverse' ? 'mappedBy' : 'inversedBy']: side.other };
  const how = side.other === null ? 'it is served one-way' : 'the two sides are joined';
  return { definition: settled, warnings: [{ text: `${otherSide(definition)}: ${how}`, needs: null }] };
}

/** Returns a relation that cannot store links: it is always empty, and input for it is dropped. */
const empty = (definition: AttributeDefinition, reason: string): Settled => ({
  definition: { ...definition, writable: false, dangling: true },
  warnings: [{ text: `${reason}: it stays empty`, needs: null }],
});

const leftOut = (uid: string, problem: string): Settled => ({ definition: null, warnings: [leftOutWarning(uid, problem)] });

const leftOutWarning = (uid: string, problem: string) => ({ text: `${problem}: the attribute is left out`, needs: uid });

function unknown(kind: string, uid: string, { models, problems }: InForce): string {
  const refused = problems.get(uid);
  if (refused !== undefined) return `${uid} is refused (${refused.join('; ')})`;
  if (uid.startsWith('plugin::')) return `${uid} belongs to a plugin that is not installed; store its model to use it`;
  return `unknown ${kind} ${JSON.stringify(uid)}${didYouMean(uid, models.keys())}`;
}
