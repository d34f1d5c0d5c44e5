import { addedAs } from '#model/schema/added-attributes.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import { pluginOf, typeName } from '#model/schema/names.js';
import type { Values } from '#base/values.js';

const creator = {
  type: 'relation',
  relation: 'oneToOne',
  target: 'admin::user',
  configurable: false,
  writable: false,
  visible: false,
  useJoinTable: false,
  private: true,
};

/** Returns a model as Strapi writes it into archives, with the attributes that Strapi adds to every type. */
export function schemaOf({ uid, collectionName, info, options, pluginOptions, attributes }: Model, type: ContentType): Values {
  const isComponent = type.kind === 'component';
  const plugin = pluginOf(type);
  return {
    // Strapi stores components in tables of their own
    collectionName: collectionName ?? (isComponent ? `components_${uid.replaceAll(/[^A-Za-z0-9]/g, '_')}` : type.collection),
    info,
    options: options ?? {},
    ...(!isComponent && { pluginOptions: pluginOptions ?? {} }),
    attributes: { ...attributes, ...added(type) },
    ...(!isComponent && { kind: type.kind }),
    modelType: isComponent ? 'component' : 'contentType',
    modelName: uid.slice(uid.lastIndexOf('.') + 1),
    uid,
    ...(plugin !== '' && { plugin }),
    globalId: typeName(type),
  };
}

const hidden = { configurable: false, visible: false };

/** The definitions of the attributes that are added to types, by name. */
const definitions = (uid: string): Readonly<Record<string, Values>> => ({
  createdAt: { type: 'datetime' },
  updatedAt: { type: 'datetime' },
  publishedAt: { type: 'datetime', writable: true, ...hidden },
  createdBy: creator,
  updatedBy: creator,
  localizations: { type: 'relation', relation: 'oneToMany', target: uid, writable: true, private: false, ...hidden },
  locale: { type: 'string', writable: true, private: false, ...hidden },
});

const added = (type: ContentType): Values =>
  Object.fromEntries(Object.entries(definitions(type.uid)).filter(([name]) => addedAs(type, name) !== null));
