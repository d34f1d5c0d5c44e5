import { Ajv, type ErrorObject } from 'ajv';
import { didYouMean } from '#base/nearest-name.js';
import { memoize } from '#base/caches.js';
import { isRecord } from '#base/values.js';
import { collectionNamePattern, type Model, type ModelWarning } from './model.js';
import type { ModelOption } from './model-option.js';

const localizable = {
  type: 'object',
  properties: { i18n: { type: ['object', 'boolean', 'null'], properties: { localized: { type: 'boolean' } } } },
};
const modelPlugins = {
  ...localizable,
  properties: {
    ...localizable.properties,
    sync: { type: ['object', 'boolean', 'null'], properties: { conflicts: { enum: ['value', 'last'] } } },
  },
};
const count = { type: 'integer', minimum: 0 };
const name = { type: 'string', minLength: 1 };

const attribute = {
  type: 'object',
  required: ['type'],
  properties: {
    type: name,
    customField: { type: 'string' },
    renamedFrom: name,
    required: { type: 'boolean' },
    unique: { type: 'boolean' },
    index: { type: 'boolean' },
    searchable: { type: 'boolean' },
    collation: name,
    search: { type: ['string', 'object'], properties: { language: name }, required: ['language'] },
    private: { type: 'boolean' },
    writable: { type: 'boolean' },
    visible: { type: 'boolean' },
    min: { type: ['number', 'string', 'null'] },
    max: { type: ['number', 'string', 'null'] },
    minLength: { ...count, nullable: true },
    maxLength: { ...count, nullable: true },
    regex: { type: ['string', 'null'], format: 'regex' },
    enum: { type: 'array', items: { type: 'string' } },
    enumName: { type: 'string', pattern: '^[_A-Za-z][_0-9A-Za-z]*$' },
    targetField: { type: 'string' },
    multiple: { type: 'boolean' },
    allowedTypes: { type: 'array', items: { type: 'string' }, nullable: true },
    component: name,
    repeatable: { type: 'boolean' },
    components: { type: 'array', items: name },
    relation: name,
    target: { type: ['string', 'array'], minLength: 1, items: name, minItems: 1, uniqueItems: true },
    inversedBy: { type: ['string', 'null'] },
    mappedBy: { type: ['string', 'null'] },
    morphBy: { type: 'string' },
    pluginOptions: localizable,
  },
};

const shardKey = { type: 'object', minProperties: 1, maxProperties: 4, additionalProperties: { enum: [1, 'hashed'] } };

const contentTypeUid = '(api|plugin|admin)::[a-z0-9][a-z0-9_-]*\\.[a-z0-9][a-z0-9_-]*';
const componentUid = '[^.:$\\0]+\\.[^.:$\\0]+';

/** The form of a `_models` document. Keys that are not named here belong to an admin panel and are accepted. */
const modelSchema = {
  type: 'object',
  required: ['uid', 'info', 'attributes'],
  properties: {
    uid: { type: 'string', maxLength: 200, pattern: `^(${contentTypeUid}|${componentUid})$` },
    kind: { enum: ['collectionType', 'singleType'] },
    renamedFrom: { type: 'string', pattern: `^${contentTypeUid}$` },
    collectionName: { type: 'string', pattern: collectionNamePattern, maxLength: 100 },
    adopt: { type: 'boolean' },
    shard: { anyOf: [{ enum: ['none', '_id'] }, shardKey] },
    info: {
      type: 'object',
      properties: { singularName: name, pluralName: name, displayName: { type: 'string' }, description: { type: 'string' } },
    },
    options: {
      type: 'object',
      properties: {
        draftAndPublish: { type: 'boolean' },
        privateAttributes: { type: 'array', items: { type: 'string' } },
        populateCreatorFields: { type: 'boolean' },
        collation: name,
      },
    },
    pluginOptions: modelPlugins,
    attributes: {
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z][-_0-9A-Za-z]*$', maxLength: 60 },
      additionalProperties: attribute,
    },
  },
};

/** Returns the form of `options` with those of features. */
function optionsWith(added: readonly ModelOption[]) {
  const { options } = modelSchema.properties;
  const stated = added.flatMap(({ key, schema }) => (schema === undefined ? [] : [[key, schema] as const]));
  return { ...options, properties: { ...options.properties, ...Object.fromEntries(stated) } };
}

/** Keys of Strapi models that have no effect in Mangrove. */
const withoutEffect: ReadonlySet<string> = new Set([
  ...['comment', 'indexes', 'foreignKeys', 'reviewWorkflows', 'version', 'visible'],
  ...['$schema', '_id', 'autoPopulate', 'column', 'columnName', 'columnType', 'conditions', 'configurable', 'connection'],
  ...['config', 'default', 'editable', 'globalId', 'icon', 'increments', 'joinColumn', 'joinTable', 'modelName', 'modelType'],
  ...['morphColumn', 'options', 'timestamps', 'unsigned', 'unstable_tableName', 'useJoinTable'],
]);

/**
 * Returns a warning for each key that resembles a key of models, such as `requird`, and for each option that means nothing. Other
 * unknown keys are accepted.
 */
export function misspeltKeys(model: Model, options: readonly ModelOption[]): ModelWarning[] {
  const { properties } = modelSchema;
  return [
    ...misspeltIn(model, Object.keys(properties), ''),
    ...misspeltIn(model.info, Object.keys(properties.info.properties), 'info'),
    ...meaninglessIn(model.options ?? {}, Object.keys(optionsWith(options).properties), 'options'),
    ...misspeltPlugins(model.pluginOptions ?? {}),
  ].map((text) => ({ attribute: null, text, needs: null }));
}

/** Returns the same warnings for an attribute. */
export const misspeltAttributeKeys = (definition: { readonly pluginOptions?: unknown }): string[] => [
  ...misspeltIn(definition, Object.keys(attribute.properties), ''),
  ...misspeltPlugins(definition.pluginOptions).map((text) => `.${text}`),
];

/** The options of plugins that have an effect, by plugin. Those of other plugins belong to a panel or to code. */
const pluginKeys: Readonly<Record<string, readonly string[]>> = {
  i18n: ['localized'],
  sync: ['enabled', 'conflicts'],
  schedule: ['enabled'],
};

function misspeltPlugins(options: unknown): string[] {
  if (!isRecord(options)) return [];
  return Object.entries(options).flatMap(([name, own]) => {
    if (!Object.hasOwn(pluginKeys, name)) return misspeltIn({ [name]: own }, Object.keys(pluginKeys), 'pluginOptions', 4);
    return isRecord(own) ? meaninglessIn(own, pluginKeys[name] ?? [], `pluginOptions.${name}`) : [];
  });
}

/** Returns a warning for each key that is not known, with the nearest name if there is one. */
const meaninglessIn = (written: object, validKeys: readonly string[], place: string): string[] =>
  Object.keys(written)
    .filter((key) => !validKeys.includes(key) && !withoutEffect.has(key))
    .map((key) => `${place}.${key} is not a key of models and ignored${didYouMean(key, validKeys)}`);

function misspeltIn(written: object, validKeys: readonly string[], place: string, shortest = 5): string[] {
  const unknown = Object.keys(written).filter(
    (key) => key.length >= shortest && !validKeys.includes(key) && !withoutEffect.has(key),
  );
  return unknown.flatMap((key) => {
    const near = didYouMean(key, validKeys);
    return near === '' ? [] : [`${place}.${key} is not a key of models and ignored${near}`];
  });
}

const isRegex = (pattern: string): boolean => {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
};

// Strapi takes "true" for true and "5" for 5: values are converted to their type if they can be.
// The schema is not checked against the meta-schema, which takes 1 MB to compile.
const trusted = { meta: false, validateSchema: false } as const;
const ajv = new Ajv({ ...trusted, allErrors: true, allowUnionTypes: true, coerceTypes: true, formats: { regex: isRegex } });
const validatorWith = memoize((options: readonly ModelOption[]) =>
  ajv.compile<Model>({ ...modelSchema, properties: { ...modelSchema.properties, options: optionsWith(options) } }),
);

interface FormReading {
  readonly model: Model | null;
  readonly problems: readonly string[];
}

/** Returns a document in the form of a model, or the problems of its form, one line each. */
export function readForm(document: unknown, options: readonly ModelOption[]): FormReading {
  const model: unknown = structuredClone(document);
  const validate = validatorWith(options);
  return validate(model) ? { model, problems: [] } : { model: null, problems: problemsOf(validate.errors ?? []) };
}

/** Returns the problems, without those that only repeat that the name of an attribute is wrong. */
const problemsOf = (errors: readonly ErrorObject[]): string[] =>
  errors.filter(({ keyword }) => keyword !== 'propertyNames').map(describe);

function describe({ instancePath, propertyName, message = 'is invalid', params }: ErrorObject): string {
  if (propertyName !== undefined) return `attributes.${propertyName}: the name ${message}`;
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the model';
  const allowed: unknown = 'allowedValues' in params ? params['allowedValues'] : undefined;
  return `${place} ${message}${Array.isArray(allowed) ? ` (${allowed.join(', ')})` : ''}`;
}
