import { Ajv, type ErrorObject } from 'ajv';
import type { Model } from './model.js';

const localizable = { type: 'object', additionalProperties: { type: ['object', 'boolean', 'null'] } };
const count = { type: 'integer', minimum: 0 };
const name = { type: 'string', minLength: 1 };
const names = { type: 'array', items: name, uniqueItems: true };

const attribute = {
  type: 'object',
  required: ['type'],
  properties: {
    type: name,
    required: { type: 'boolean' },
    unique: { type: 'boolean' },
    index: { type: 'boolean' },
    private: { type: 'boolean' },
    writable: { type: 'boolean' },
    visible: { type: 'boolean' },
    min: { type: ['number', 'string', 'null'] },
    max: { type: ['number', 'string', 'null'] },
    minLength: { ...count, nullable: true },
    maxLength: { ...count, nullable: true },
    regex: { type: ['string', 'null'], format: 'regex' },
    enum: { type: 'array', items: { type: 'string' }, minItems: 1 },
    enumName: { type: 'string', pattern: '^[_A-Za-z][_0-9A-Za-z]*$' },
    targetField: { type: 'string' },
    multiple: { type: 'boolean' },
    allowedTypes: { type: 'array', items: { type: 'string' }, nullable: true },
    component: name,
    repeatable: { type: 'boolean' },
    components: names,
    relation: name,
    target: { type: ['string', 'array'], minLength: 1, items: name, minItems: 1, uniqueItems: true },
    inversedBy: { type: ['string', 'null'] },
    mappedBy: { type: ['string', 'null'] },
    morphBy: { type: 'string' },
    pluginOptions: localizable,
  },
};

/** The form of a `_models` document (rest.md 1.1). Keys that are not named here are an admin panel's and are let through. */
const modelSchema = {
  type: 'object',
  required: ['uid', 'info', 'attributes'],
  properties: {
    uid: { type: 'string', pattern: '^((api|plugin|admin)::[a-z0-9-]+\\.[a-z0-9-]+|[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)$' },
    kind: { enum: ['collectionType', 'singleType'] },
    collectionName: { type: 'string', pattern: '^[A-Za-z][-_0-9A-Za-z]*$', maxLength: 100 },
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
      },
    },
    pluginOptions: localizable,
    attributes: {
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z][_0-9A-Za-z]*$', maxLength: 60 },
      additionalProperties: attribute,
    },
  },
};

const isRegex = (pattern: string): boolean => {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
};

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: { regex: isRegex } });
const validate = ajv.compile<Model>(modelSchema);

/** What is wrong with the form of a document that should be a model, one line each; empty when it is one. */
export function modelFormProblems(document: unknown): string[] {
  return validate(document) ? [] : (validate.errors ?? []).map(describe);
}

export const isModel = (document: unknown): document is Model => validate(document);

function describe({ instancePath, message = 'is invalid', params }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'the model';
  const allowed: unknown = 'allowedValues' in params ? params['allowedValues'] : undefined;
  return `${place} ${message}${Array.isArray(allowed) ? ` (${allowed.join(', ')})` : ''}`;
}
