import type { Model } from '#model/schema/model.js';
import { builtinModels } from '#model/schema/builtin-models.js';
import { isRecord, recordIn, type Values } from '#base/values.js';
import { Refusal } from './builder-answer.js';
import { buildAttributes } from './build-attributes.js';
import type { EditedModels } from './edited-models.js';
import { collectionNameOf, pluralOf, slugOf } from './names.js';

const textIn = (values: Values, name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined;

/** Returns the parts of `info` that can be changed. */
const infoOf = (given: Values): Model['info'] => {
  const [displayName, description, icon] = ['displayName', 'description', 'icon'].map((name) => textIn(given, name));
  return {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
  };
};

/** Adds a new content type, and returns its uid. Throws a Refusal if there is one of that uid. */
export function addType(given: Values, uids: ReadonlyMap<string, string>, models: EditedModels): string {
  const [singularName = '', pluralName = ''] = [textIn(given, 'singularName'), textIn(given, 'pluralName')];
  const uid = `api::${singularName}.${singularName}`;
  if (models.get(uid) !== undefined) throw new Refusal(400, 'contentType.alreadyExists');
  const kind = given['kind'] === 'singleType' ? 'singleType' : 'collectionType';
  const collectionName = textIn(given, 'collectionName') ?? collectionNameOf(pluralName);
  models.set({ uid, kind, collectionName, info: { singularName, pluralName }, attributes: {} });
  changeType(uid, given, { uids, models });
  return uid;
}

interface Changing {
  readonly uids: ReadonlyMap<string, string>;
  readonly models: EditedModels;
}

/** Changes a content type. Its names stay. */
export function changeType(uid: string, given: Values, { uids, models }: Changing): void {
  const model = models.get(uid);
  if (model === undefined) throw new Refusal(404, 'contentType.notFound');
  const { draftAndPublish } = given;
  const path = ['contentType', 'attributes'];
  const builtin = Object.keys(builtinModels.find((other) => other.uid === uid)?.attributes ?? {});
  const own = Object.entries(recordIn(given, 'attributes')).filter(([name]) => !builtin.includes(name));
  const attributes = buildAttributes(Object.fromEntries(own), { uid, former: model.attributes, uids, path }, models);
  const kind = given['kind'] === 'singleType' || given['kind'] === 'collectionType' ? given['kind'] : model.kind;
  models.set({
    ...model,
    ...(kind !== undefined && builtin.length === 0 && { kind }),
    info: { ...model.info, ...infoOf(given) },
    options: {
      ...model.options,
      ...recordIn(given, 'options'),
      ...(typeof draftAndPublish === 'boolean' && { draftAndPublish }),
    },
    ...(isRecord(given['pluginOptions']) && { pluginOptions: given['pluginOptions'] as Model['pluginOptions'] & object }), // checked when previewed
    attributes,
  });
}

/** Removes a content type with all relations to it. Only own types can be removed. */
export function removeType(uid: string, models: EditedModels): void {
  if (models.get(uid) === undefined || !uid.startsWith('api::')) throw new Refusal(404, 'contentType.notFound');
  models.remove(uid);
  models.removeRelationsTo(uid);
}

/** Adds a new component without attributes, and returns its uid. Throws a Refusal if there is one of that uid. */
function addEmptyComponent(given: Values, models: EditedModels): string {
  const [category = '', displayName = ''] = [textIn(given, 'category'), textIn(given, 'displayName')];
  const uid = `${slugOf(category)}.${slugOf(displayName)}`;
  if (models.get(uid) !== undefined) throw new Refusal(400, 'component.alreadyExists');
  const collectionName = `components_${collectionNameOf(category)}_${collectionNameOf(pluralOf(displayName))}`;
  models.set({ uid, collectionName, info: {}, options: {}, attributes: {} });
  return uid;
}

/**
 * Adds the new components of a body, and changes its others. Returns the uids of new ones by those that the panel has given them.
 * Empty ones are added first, because they may contain each other.
 */
export function changeNested(list: unknown, models: EditedModels): ReadonlyMap<string, string> {
  const components = Array.isArray(list) ? list.filter(isRecord) : [];
  const uids = new Map(
    components.flatMap((component) => {
      const temporary = textIn(component, 'tmpUID');
      return temporary === undefined ? [] : [[temporary, addEmptyComponent(component, models)] as const];
    }),
  );
  for (const [index, component] of components.entries()) {
    const uid = textIn(component, 'uid') ?? uids.get(textIn(component, 'tmpUID') ?? '') ?? '';
    changeComponent(uid, component, { uids, models, path: ['components', String(index)] });
  }
  return uids;
}

/** Adds a component, and returns its uid. */
export function addComponent(given: Values, uids: ReadonlyMap<string, string>, models: EditedModels): string {
  return changeComponent(addEmptyComponent(given, models), given, { uids, models, path: ['component'] });
}

/** Changes a component, and returns its uid, which another category changes. */
export function changeComponent(
  uid: string,
  given: Values,
  { uids, models, path }: Changing & { readonly path: readonly string[] },
): string {
  const model = models.get(uid);
  if (model === undefined || uid.includes('::')) throw new Refusal(404, 'component.notFound');
  const owner = { uid, former: model.attributes, uids, path: [...path, 'attributes'] };
  const attributes = buildAttributes(recordIn(given, 'attributes'), owner, models);
  models.set({ ...model, info: { ...model.info, ...infoOf(given) }, attributes });
  const category = textIn(given, 'category');
  return category === undefined ? uid : moveComponent(uid, slugOf(category), models);
}

/**
 * Moves a component to another category. Throws a Refusal if it has one of that name, and a ValidationError if a dynamic zone allows
 * the component, because entries name it there by its uid.
 */
export function moveComponent(uid: string, category: string, models: EditedModels): string {
  const [former = '', name = ''] = uid.split('.');
  if (former === category || slugOf(former) === category) return uid;
  const next = `${category}.${name}`;
  if (models.get(next) !== undefined) throw new Refusal(400, 'component.edit.alreadyExists');
  const zone = models
    .all()
    .find(({ attributes }) => Object.values(attributes).some(({ components }) => components?.includes(uid)));
  if (zone !== undefined)
    throw new Refusal(400, `${uid} is in a dynamic zone of ${zone.uid}, whose entries name it: its category cannot change`);
  models.renameComponent(uid, next);
  return next;
}

/** Removes a component from all models. */
export function removeComponent(uid: string, models: EditedModels): void {
  if (models.get(uid) === undefined || uid.includes('::')) throw new Refusal(404, 'component.notFound');
  models.remove(uid);
  models.removeComponent(uid);
}

/** Returns the uids of the components of a category. */
export const componentsIn = (category: string, models: EditedModels): readonly string[] =>
  models
    .all()
    .map(({ uid }) => uid)
    .filter((uid) => !uid.includes('::') && uid.split('.')[0] === category);
