import type { RunningService } from '#http/running.js';
import { addedTo, shapeOf } from '#model/schema/added-attributes.js';
import type { Added } from '#model/schema/content-type.js';
import type { AttributeDefinition, Model } from '#model/schema/model.js';
import type { Values } from '#base/values.js';
import { isVisible } from '#model/schema/describe-model.js';

/** The attributes of a model as the panel knows them, by name: with its id, its times and its creators. */
export type PanelAttributes = Readonly<Record<string, AttributeDefinition & Values>>;

/** Returns the models in force: content types, or components. */
export const modelsOf = ({ backend }: RunningService, kind: 'type' | 'component'): readonly Model[] =>
  [...backend.models.inForce().models.values()].filter((model) => (model.kind === undefined) === (kind === 'component'));

/** Parts of a model that only a panel reads. */
interface OwnModel {
  readonly info: Values;
  readonly options?: Values;
  readonly isHidden?: true;
  /** By attribute. */
  readonly attributes?: Readonly<Record<string, Values>>;
}

/** Those parts of the models of the service itself, as Strapi v4 has them. */
const ownModels: Readonly<Record<string, OwnModel>> = {
  'plugin::users-permissions.user': {
    info: { name: 'user', description: '' },
    options: { draftAndPublish: false, timestamps: true },
  },
  'plugin::upload.file': { info: { description: '' }, options: {}, isHidden: true, attributes: { folderPath: { min: 1 } } },
  'admin::user': {
    info: { name: 'User', description: '' },
    isHidden: true,
    attributes: { roles: { collectionName: 'strapi_users_roles' } },
  },
};

const creator = {
  ...{ type: 'relation', relation: 'oneToOne', target: 'admin::user', configurable: false, writable: false, visible: false },
  ...{ useJoinTable: false, private: true },
} as const;

/** The added attributes that the panel describes. It sets those of drafts and locales by actions. */
const definitions: Readonly<Partial<Record<Added, AttributeDefinition & Values>>> = { time: { type: 'datetime' }, creator };

/** Returns the attributes of a model, in the order in which the panel lists them. */
export function panelAttributes(model: Model): PanelAttributes {
  const { uid, attributes } = model;
  const own = Object.entries(attributes).filter(([, { writable }]) => writable !== false);
  const described = own.map(
    ([name, definition]) =>
      [name, { ...describeAttribute(definition, isFixed(uid, name)), ...ownModels[uid]?.attributes?.[name] }] as const,
  );
  const added = [...addedTo(shapeOf(model))].flatMap(([name, what]) => {
    const definition = definitions[what];
    return definition === undefined ? [] : [[name, describeAttribute(definition, false)] as const];
  });
  return { id: { type: 'integer' }, ...Object.fromEntries(described), ...Object.fromEntries(added) };
}

/** Returns whether the builder cannot change an attribute, because it belongs to the service itself. */
const isFixed = (uid: string, name: string): boolean =>
  !uid.startsWith('api::') && uid.includes('::') && !name.startsWith('folder');

function describeAttribute(definition: AttributeDefinition, isBuiltIn: boolean): AttributeDefinition & Values {
  const { type, relation, target } = definition;
  return {
    ...(isBuiltIn && { configurable: false }),
    ...definition,
    ...(type === 'point' && { type: 'json' }), // the panel of Strapi v4 has no field for points
    ...(type === 'relation' && { targetModel: target, relationType: relation }),
  };
}

const hiddenOptions = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } };

/** Returns a content type as the panel knows it. */
export function describeType(model: Model) {
  const { uid, kind, info } = model;
  const own = ownModels[uid];
  const { options = {}, pluginOptions = {} } = model;
  return {
    ...{ uid, isDisplayed: isVisible(model, 'content-manager'), apiID: info.singularName, kind, info: { ...own?.info, ...info } },
    ...(own === undefined
      ? { options, pluginOptions }
      : { options: own.options, ...(own.isHidden && { pluginOptions: hiddenOptions }) }),
    attributes: panelAttributes(model),
  };
}

/** Returns a component as the panel knows it. */
export function describeComponent(model: Model) {
  const { uid, info, options = {} } = model;
  const [category, apiID] = uid.split('.');
  return { uid, isDisplayed: true, apiID, category, info, options, attributes: panelAttributes(model) };
}
