import { nearestName } from '../nearest-name.js';
import { targetsOf, type AttributeDefinition, type Model } from './model.js';
import { attributeProblems } from './check-attribute.js';
import { modelFormProblems } from './model-schema.js';
import { isKebabCase, pascalCase } from './names.js';

const reservedModelNames = new Set(['boolean', 'date', 'date-time', 'time', 'upload', 'then', 'rest']);

/** What is wrong with one model, taken alone; one line each. */
export function modelProblems(document: unknown): string[] {
  const problems = modelFormProblems(document);
  if (problems.length > 0) return problems;
  const model = document as Model; // modelFormProblems has checked its form
  const attributes = Object.entries(model.attributes).flatMap(([name, attribute]) => attributeProblems(name, attribute));
  return [...nameProblems(model), ...attributes];
}

function nameProblems(model: Model): string[] {
  if (model.kind === undefined) return model.uid.includes('::') ? ['kind must be collectionType or singleType'] : [];
  if (!model.uid.includes('::')) return ['a component has no kind; the uid of a content type is api::<api>.<name>'];
  const { singularName, pluralName } = model.info;
  if (singularName === undefined || pluralName === undefined) return ['info must have singularName and pluralName'];
  return [singularName, pluralName].flatMap((name) => [
    ...(isKebabCase(name) ? [] : [`info: ${JSON.stringify(name)} must be kebab-case`]),
    ...(reservedModelNames.has(name) ? [`info: ${JSON.stringify(name)} is a reserved name`] : []),
  ]);
}

/**
 * What is wrong between models that are each right alone: missing targets, sides that disagree, names taken twice.
 * By uid; the later of two models that claim one name is the one at fault.
 */
export function crossProblems(models: ReadonlyMap<string, Model>): Map<string, string[]> {
  const problems = new Map<string, string[]>();
  const taken = new Map<string, string>();
  for (const model of models.values()) {
    const found = [...takenNames(model, taken), ...targetProblems(model, models), ...nestingProblems(model, models)];
    if (found.length > 0) problems.set(model.uid, found);
    else for (const name of claimedNames(model)) taken.set(name, model.uid);
  }
  return problems;
}

function takenNames(model: Model, taken: ReadonlyMap<string, string>): string[] {
  const names = claimedNames(model);
  const twice = names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${describeName(name)} is used twice`);
  const clashes = names
    .filter((name) => taken.has(name))
    .map((name) => `${describeName(name)} is taken by ${taken.get(name) ?? ''}`);
  return [...twice, ...clashes];
}

/** Names that no two models may share: path names of API types, collections, GraphQL type names. */
function claimedNames(model: Model): string[] {
  const enums = Object.values(model.attributes).flatMap(({ enumName }) =>
    enumName === undefined ? [] : [`GraphQL type:${enumName}`],
  );
  return [...typeNames(model), ...enums];
}

function typeNames(model: Model): string[] {
  if (model.kind === undefined) return [`GraphQL type:${pascalCase(`component_${model.uid}`)}`];
  const { singularName = '', pluralName = '' } = model.info;
  const plugin = model.uid.startsWith('plugin::') ? (model.uid.slice(8).split('.')[0] ?? '') : '';
  const routes = model.uid.startsWith('api::') ? [`name:${singularName}`, `name:${pluralName}`] : [];
  const graphql = model.uid.startsWith('admin::')
    ? []
    : [singularName, pluralName].map((name) => `GraphQL type:${pascalCase(`${plugin}-${name}`)}`);
  return [...routes, `collection:${model.collectionName ?? singularName}`, ...graphql];
}

const describeName = (claim: string): string => claim.replace(':', ' ');

function targetProblems(model: Model, models: ReadonlyMap<string, Model>): string[] {
  return Object.entries(model.attributes).flatMap(([name, attribute]) =>
    attributeTargetProblems(model, name, attribute, models).map((problem) => `attributes.${name}: ${problem}`),
  );
}

function attributeTargetProblems(
  model: Model,
  name: string,
  attribute: AttributeDefinition,
  models: ReadonlyMap<string, Model>,
): string[] {
  const components = attribute.type === 'component' ? [attribute.component ?? ''] : (attribute.components ?? []);
  if (attribute.type === 'component' || attribute.type === 'dynamiczone')
    return components
      .filter((uid) => models.get(uid)?.kind !== undefined || !models.has(uid))
      .map((uid) => unknownModel('component', uid, models));
  if (attribute.type === 'uid' && attribute.targetField !== undefined && !(attribute.targetField in model.attributes))
    return [`targetField ${JSON.stringify(attribute.targetField)} is not an attribute`];
  if (attribute.type !== 'relation') return [];
  const unknown = targetsOf(attribute).filter((uid) => models.get(uid)?.kind === undefined);
  return unknown.length > 0
    ? unknown.map((uid) => unknownModel('content type', uid, models))
    : otherSideProblems(model, name, attribute, models);
}

function otherSideProblems(
  model: Model,
  name: string,
  attribute: AttributeDefinition,
  models: ReadonlyMap<string, Model>,
): string[] {
  const target = typeof attribute.target === 'string' ? models.get(attribute.target) : undefined;
  if (target === undefined) return [];
  if (attribute.morphBy !== undefined) return morphSideProblems(model, target, attribute.morphBy);
  const inverse = attribute.inversedBy ?? attribute.mappedBy;
  if (!inverse) return [];
  if (model.kind === undefined) return ['a relation of a component has no inverse side'];
  const other = target.attributes[inverse];
  if (other?.type !== 'relation') return [`${target.uid} has no relation ${JSON.stringify(inverse)}`];
  return sidesAgree(attribute, other, { name, uid: model.uid })
    ? []
    : [`${target.uid}.${inverse} is not the other side of this relation`];
}

function morphSideProblems(model: Model, target: Model, name: string): string[] {
  const other = target.attributes[name];
  if (other?.relation?.startsWith('morphTo') !== true)
    return [`${target.uid} has no polymorphic attribute ${JSON.stringify(name)}`];
  const leadsHere = other.target === undefined || targetsOf(other).includes(model.uid);
  return leadsHere ? [] : [`${target.uid}.${name} does not lead to this type`];
}

const otherSide: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

function sidesAgree(
  attribute: AttributeDefinition,
  other: AttributeDefinition,
  side: { readonly name: string; readonly uid: string },
): boolean {
  const back = attribute.mappedBy ? other.inversedBy : other.mappedBy;
  return back === side.name && other.target === side.uid && other.relation === otherSide[attribute.relation ?? ''];
}

function unknownModel(kind: string, uid: string, models: ReadonlyMap<string, Model>): string {
  const nearest = nearestName(uid, models.keys());
  return `unknown ${kind} ${JSON.stringify(uid)}${nearest === null ? '' : `, did you mean ${JSON.stringify(nearest)}?`}`;
}

/** A component that holds itself, directly or through others, would have no end. */
function nestingProblems(model: Model, models: ReadonlyMap<string, Model>): string[] {
  if (model.kind !== undefined) return [];
  const seen = new Set<string>();
  const open = heldComponents(model);
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    if (uid === model.uid) return ['the component holds itself'];
    const held = models.get(uid);
    if (seen.has(uid) || held === undefined) continue;
    seen.add(uid);
    open.push(...heldComponents(held));
  }
  return [];
}

const heldComponents = (model: Model): string[] =>
  Object.values(model.attributes).flatMap(({ component, components }) =>
    component !== undefined ? [component] : [...(components ?? [])],
  );
