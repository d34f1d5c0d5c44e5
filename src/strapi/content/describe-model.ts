import { memoize } from '#base/caches.js';
import type { Added, Attribute, ContentType } from '#model/schema/content-type.js';
import { addedAs } from '#model/schema/added-attributes.js';
import type { ModelDocument } from '#model/schema/model.js';
import { recordIn, type Values } from '#base/values.js';
import { pascalCase, pluginOf } from '#model/schema/names.js';

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
  /** The listeners of the model by lifecycle, which may be changed at any time. Only in models that code reads from `strapi`. */
  readonly lifecycles?: object;
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

/**
 * Returns a model in the form of Strapi v4 with all that its document says, and the attributes that the service adds; `type` is
 * undefined if the document is invalid.
 */
export function describeDocument(document: ModelDocument, type: ContentType | undefined): StrapiModel {
  const added =
    type === undefined ? [] : Object.entries(describeModel(type).attributes).filter(([name]) => addedAs(type, name) !== null);
  const described: Values = type === undefined ? {} : { ...describeModel(type), options: {}, info: {} };
  const { kind, ...own } = JSON.parse(JSON.stringify({ ...described, ...document })) as Values; // plain values
  const modelType = document.uid.includes('::') ? 'contentType' : 'component';
  const attributes = { ...recordIn(own, 'attributes'), ...Object.fromEntries(added) };
  const model = { ...own, modelType, ...(modelType === 'contentType' && { kind: kind ?? 'collectionType' }) };
  return { ...model, attributes: structuredClone(attributes) } as unknown as StrapiModel; // the form of Strapi v4, as far as the document has it
}

/** Returns the description of a type with all that the document of its model says besides. */
export function describeWhole(type: ContentType, document: ModelDocument): StrapiModel {
  const described = describeModel(type);
  const values: Values = { ...document };
  const written = recordIn(values, 'attributes');
  const attributes = Object.entries(described.attributes).map(
    ([name, one]) => [name, { ...recordIn(written, name), ...one }] as const,
  );
  const part = (name: 'info' | 'options' | 'pluginOptions'): Values => ({ ...recordIn(values, name), ...described[name] });
  const whole = {
    ...document,
    ...described,
    info: part('info'),
    options: part('options'),
    attributes: Object.fromEntries(attributes),
  };
  return { ...whole, ...('pluginOptions' in document && { pluginOptions: part('pluginOptions') }) } as StrapiModel; // and further keys
}

/** The listeners of models by uid. */
interface Listeners {
  readonly of: (uid: string) => object;
  readonly set: (uid: string, listeners: object) => void;
}

/** Gives a model its `lifecycles`, which code may change. */
export const withListeners = (model: StrapiModel, { of, set }: Listeners): StrapiModel =>
  Object.defineProperty(model, 'lifecycles', {
    get: () => of(model.uid),
    set: (listeners: unknown) => set(model.uid, Object(listeners) as object),
    enumerable: true,
    configurable: true,
  });

/** Rules of scalar attributes that are included if they are set. */
const rules = ['default', 'min', 'max', 'minLength', 'maxLength', 'regex', 'targetField'] as const;

/** What Strapi v4 says of the attributes that it adds to every type. */
const ofAdded: Readonly<Partial<Record<Added, Values>>> = {
  time: { writable: undefined, visible: undefined },
  creator: { configurable: false, useJoinTable: false },
};

function describeAttribute(attribute: Attribute, isLocalized: boolean): Values {
  const ofStrapi = attribute.added === null ? undefined : ofAdded[attribute.added];
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
