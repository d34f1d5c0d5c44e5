import { memoize } from '../../caches.js';
import { UnknownTypeError } from '../../code/entity-service.js';
import type { ContentContext } from '../../content/content-context.js';
import type { Attribute, ContentType } from '../../schema/content-type.js';
import type { Values } from '../../values.js';
import { pascalCase, pluginOf } from '../../schema/names.js';

/** A content type or component in the form of Strapi v4. */
export interface StrapiModel {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly modelName: string;
  readonly kind?: 'collectionType' | 'singleType';
  readonly collectionName: string;
  readonly tableName: string;
  readonly singularName: string;
  readonly globalId: string;
  readonly info: {
    readonly singularName: string;
    readonly pluralName: string;
    readonly displayName: string;
    readonly description?: string;
  };
  readonly options: { readonly draftAndPublish: boolean };
  readonly pluginOptions?: { readonly i18n?: { readonly localized: boolean } };
  /** Only in types of an API. */
  readonly apiName?: string;
  /** Only in types of a plugin. */
  readonly plugin?: string;
  /** Only in components. */
  readonly category?: string;
  readonly attributes: Readonly<Record<string, Values>>;
}

/** Returns the description of a type. Returns the same object for the same type. */
export const describeModel = memoize((type: ContentType): StrapiModel => {
  const { uid, kind, collection, singularName, pluralName, displayName, description, draftAndPublish, localized } = type;
  const attributes = [...type.attributes.values()].map(
    (attribute) => [attribute.name, describeAttribute(attribute, localized)] as const,
  );
  const [owner = ''] = (uid.split('::')[1] ?? uid).split('.');
  const modelName = singularName || (uid.split('.').at(-1) ?? '');
  return {
    uid,
    modelType: kind === 'component' ? 'component' : 'contentType',
    modelName,
    ...(kind !== 'component' && { kind }),
    collectionName: collection,
    tableName: collection,
    singularName: modelName,
    globalId: kind === 'component' ? pascalCase(`component_${uid}`) : pascalCase(pluginOf(type)) + pascalCase(singularName),
    info: { singularName, pluralName, displayName, ...(description !== '' && { description }) },
    options: { draftAndPublish },
    ...(localized && { pluginOptions: { i18n: { localized } } }),
    ...(uid.startsWith('api::') && { apiName: owner }),
    ...(uid.startsWith('plugin::') && { plugin: owner }),
    ...(kind === 'component' && { category: owner }),
    attributes: Object.fromEntries(attributes),
  };
});

/** Rules of scalar attributes that are included if they are set. */
const rules = ['default', 'min', 'max', 'minLength', 'maxLength', 'regex', 'targetField'] as const;

/** Attributes that Strapi v4 adds to every type, and what else it says of them. */
const added: Readonly<Record<string, Values>> = {
  createdAt: { writable: undefined, visible: undefined },
  updatedAt: { writable: undefined, visible: undefined },
  createdBy: { configurable: false, useJoinTable: false },
  updatedBy: { configurable: false, useJoinTable: false },
};

function describeAttribute(attribute: Attribute, isLocalized: boolean): Values {
  const ofStrapi = added[attribute.name];
  const common = {
    ...(attribute.required && { required: true }),
    ...(attribute.private && { private: true }),
    ...(!attribute.writable && { writable: false }),
    ...(!attribute.visible && { visible: false }),
    ...(isLocalized && attribute.localized && ofStrapi === undefined && { pluginOptions: { i18n: { localized: true } } }),
    ...ofStrapi,
  };
  switch (attribute.kind) {
    case 'scalar': {
      const set = rules.flatMap((name) =>
        attribute[name] === null || attribute[name] === undefined ? [] : [[name, attribute[name]]],
      );
      return {
        type: attribute.type,
        ...Object.fromEntries(set),
        ...(attribute.unique && { unique: true }),
        ...(attribute.type === 'enumeration' && { enum: attribute.enum }),
        ...common,
      };
    }
    case 'relation': {
      const side = attribute.storage.kind === 'own' ? 'inversedBy' : 'mappedBy';
      const other = attribute.inverse === null ? {} : { [side]: attribute.inverse };
      return { type: 'relation', relation: attribute.relation, target: attribute.target, ...other, ...common };
    }
    case 'media':
      return { type: 'media', multiple: attribute.many, allowedTypes: attribute.allowedTypes, ...common };
    case 'morph':
      return { type: 'relation', relation: attribute.relation, ...common };
    case 'component':
      return { type: 'component', component: attribute.component, repeatable: attribute.repeatable, ...common };
    case 'dynamiczone':
      return { type: 'dynamiczone', components: attribute.components, ...common };
  }
}

/** The members of `strapi` that describe the models in force. */
export interface ModelMembers {
  /** All content types, by uid. */
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
  /** All components, by uid. */
  readonly components: Readonly<Record<string, StrapiModel>>;
  /** Returns a content type or component. Throws an Error for an unknown uid. */
  contentType(uid: string): StrapiModel;
  /** Returns a content type or component; undefined for an unknown uid. */
  getModel(uid: string): StrapiModel | undefined;
}

/** Returns members that look up models on each access, because models change while the service runs. */
export function modelMembers(content: () => ContentContext): ModelMembers {
  const ofKind = (isComponent: boolean): Record<string, StrapiModel> => {
    const types = [...content().bind.registry.types.values()].filter(({ kind }) => (kind === 'component') === isComponent);
    return Object.fromEntries(types.map((type) => [type.uid, describeModel(type)]));
  };
  const getModel = (uid: string): StrapiModel | undefined => {
    const type = content().bind.registry.types.get(uid);
    return type && describeModel(type);
  };
  return {
    get contentTypes() {
      return ofKind(false);
    },
    get components() {
      return ofKind(true);
    },
    getModel,
    contentType: (uid: string): StrapiModel => {
      const model = getModel(uid);
      if (model === undefined) throw new UnknownTypeError(`Unknown content type "${uid}"`);
      return model;
    },
  };
}
