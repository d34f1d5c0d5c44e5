import { isRecord } from '#base/values.js';
import { builtinModels } from './builtin-models.js';
import { uploadFile } from './content-type.js';
import type { AttributeDefinition, Model } from './model.js';

/** Returns a content type in the form of the content-type builder. */
export function describeType(model: Model): object {
  const { uid, kind, info, options, collectionName } = model;
  const pluginOptions = model.pluginOptions ?? (uid.startsWith('api::') ? {} : undefined);
  const [origin = '', rest = ''] = uid.split('::');
  return {
    uid,
    ...(origin === 'plugin' && { plugin: rest.split('.')[0] }),
    apiID: rest.split('.')[1] ?? rest,
    schema: {
      ...options,
      draftAndPublish: options?.draftAndPublish === true,
      displayName: info.displayName ?? info.singularName ?? uid,
      singularName: info.singularName,
      pluralName: info.pluralName,
      description: info.description ?? '',
      ...(pluginOptions !== undefined && { pluginOptions }),
      kind,
      collectionName,
      attributes: describeAttributes(model),
      visible: isVisible(model, 'content-type-builder'),
      restrictRelationsTo: uid === uploadFile ? [] : null,
    },
  };
}

/**
 * Returns whether a plugin of Strapi v4 lists a model. Of the built-in types only users are listed, because application
 * developers can extend them. The builder lists no types of plugins, because their code defines them.
 */
export function isVisible({ uid, pluginOptions }: Model, plugin: 'content-type-builder' | 'content-manager'): boolean {
  const options: unknown = pluginOptions?.[plugin];
  if (isRecord(options) && options['visible'] === false) return false;
  if (uid.startsWith('api::') || uid === 'plugin::users-permissions.user') return true;
  return plugin === 'content-manager' && uid.startsWith('plugin::') && builtinModels.every((model) => model.uid !== uid);
}

/**
 * Returns the attributes of a model without hidden ones. Relations name the attribute of the other side, media the accepted file
 * types. Attributes of the service itself cannot be changed.
 */
function describeAttributes({ uid, attributes }: Model): object {
  const builtin = builtinModels.find((model) => model.uid === uid)?.attributes ?? {};
  const shown = Object.entries(attributes).filter(([, { visible }]) => visible !== false);
  return Object.fromEntries(
    shown.map(([name, attribute]) => [
      name,
      { ...describeAttribute(attribute), ...(Object.hasOwn(builtin, name) && { configurable: false }) },
    ]),
  );
}

function describeAttribute(attribute: AttributeDefinition): object {
  if (attribute.type === 'relation') {
    const targetAttribute = attribute.inversedBy ?? attribute.mappedBy ?? null;
    return { ...attribute, targetAttribute, private: attribute.private === true };
  }
  if (attribute.type !== 'media') return attribute;
  const flags = ['multiple', 'required', 'private'] as const;
  return { ...attribute, ...Object.fromEntries(flags.map((name) => [name, attribute[name] === true])) };
}

/** Returns a component in the form of the content-type builder. */
export function describeComponent(model: Model): object {
  const { uid, info, collectionName, pluginOptions } = model;
  const [category, ...rest] = uid.split('.');
  return {
    uid,
    category,
    apiId: rest.join('.'),
    schema: {
      displayName: info.displayName ?? uid,
      ...(info.icon !== undefined && { icon: info.icon }),
      description: info.description ?? '',
      collectionName: collectionName ?? null,
      ...(pluginOptions !== undefined && { pluginOptions }),
      attributes: describeAttributes(model),
    },
  };
}
