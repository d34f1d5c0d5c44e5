import type { Model } from '#model/schema/model.js';
import { isRecord, type Values } from '#base/values.js';
import { array, boolean, object, string } from '../check-body.js';
import { attributesSchema, type AttributeRules, rulesOfComponent, rulesOfType } from './attribute-schemas.js';
import { reservedModels } from './names.js';

const regexMessage =
  (pattern: RegExp) =>
  ({ path }: { readonly path: string }): string =>
    `${path} must match the following regex: ${String(pattern)}`;

const matching = (pattern: RegExp) =>
  string()
    .nullable()
    .test('pattern', regexMessage(pattern), (text) => text === undefined || text === null || text === '' || pattern.test(text));

const collectionPattern = /^[A-Za-z][-_0-9A-Za-z]*$/;

const shared = (rules: AttributeRules) => ({
  description: string(),
  options: object(),
  pluginOptions: object(),
  collectionName: matching(collectionPattern),
  attributes: attributesSchema(rules),
  draftAndPublish: boolean(),
});

/** Returns the schema of a body with a content type. `isNew` is whether its names must be free. */
export function typeBody(body: Values, models: readonly Model[], isNew: boolean) {
  const given = isRecord(body['contentType']) ? body['contentType'] : {};
  const names = isNew ? models.flatMap(({ info }) => [info.singularName, info.pluralName]) : [];
  const collections = isNew ? models.map(({ collectionName }) => collectionName) : [];
  const used = ({ value }: { readonly value: unknown }): string =>
    `contentType: name \`${String(value)}\` is already being used by another content type.`;
  const free = (taken: readonly (string | undefined)[]) => (text: string | undefined) =>
    text === undefined || !taken.includes(text);
  const typeName = () =>
    string()
      .min(1)
      .test('free', used, free(names))
      .test('reserved', `Content Type name cannot be one of ${reservedModels.join(', ')}`, free(reservedModels));
  const kebab = (schema: ReturnType<typeof typeName>) =>
    schema
      .test('kebab', kebabMessage, (text) => text === undefined || text === '' || /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text))
      .required();
  const contentType = object({
    ...shared(rulesOfType(given['kind'], models)),
    kind: string().oneOf(['singleType', 'collectionType']).nullable(),
    displayName: string().min(1).required(),
    singularName: kebab(typeName()),
    pluralName: kebab(typeName().test('collection', used, free(collections))),
  }).test(
    'different',
    'contentType: singularName and pluralName should be different',
    (value: Values) => value['singularName'] === undefined || value['singularName'] !== value['pluralName'],
  );
  return object({ contentType: contentType.required().default(undefined), components: nested(models) }).noUnknown();
}

const kebabMessage = ({ path }: { readonly path: string }): string => `${path} is not in kebab case (an-example-of-kebab-case)`;

/** A word that is the first part of a uid, and the name of a folder. */
const categoryPattern = /^[A-Za-z][-_0-9A-Za-z]*$/;

const componentValues = (models: readonly Model[]) => ({
  ...shared(rulesOfComponent(models)),
  displayName: string().min(1).required('displayName.required'),
  icon: matching(/^[A-Za-z0-9][-A-Za-z0-9]*$/),
  category: matching(categoryPattern).required('category.required'),
});

const nested = (models: readonly Model[]) =>
  array().of(
    object({ ...componentValues(models), uid: string(), tmpUID: string() })
      .test('id', 'Component must have a uid or a tmpUID', ({ uid, tmpUID }) => (uid === undefined) !== (tmpUID === undefined))
      .noUnknown(),
  );

/** Returns the schema of a body with a component. */
export const componentBody = (models: readonly Model[]) =>
  object({
    component: object(componentValues(models)).noUnknown().required().default(undefined),
    components: nested(models),
  }).noUnknown();

/** The body that renames a category of components. */
export const categoryBody = object({
  name: matching(categoryPattern).min(3).required('name.required'),
}).noUnknown();

/** Returns a body without empty defaults, and without targets of uids that are no attributes any more, as the panel sends them. */
export function withoutRemains(body: Values): Values {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(cleanModel) : isRecord(value) ? cleanModel(value) : value,
    ]),
  );
}

function cleanModel(model: unknown): unknown {
  if (!isRecord(model) || !isRecord(model['attributes'])) return model;
  const all = model['attributes'];
  const attributes = Object.entries(all).map(([name, attribute]) => [name, cleanAttribute(attribute, all)] as const);
  return { ...model, attributes: Object.fromEntries(attributes) };
}

function cleanAttribute(attribute: unknown, all: Values): unknown {
  if (!isRecord(attribute)) return attribute;
  const { targetField } = attribute;
  const isGone = typeof targetField === 'string' && !Object.hasOwn(all, targetField);
  const entries = Object.entries(attribute).filter(
    ([key, value]) => !(key === 'default' && value === '') && !(key === 'targetField' && isGone),
  );
  return Object.fromEntries(entries);
}
