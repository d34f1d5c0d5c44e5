import type { Model } from '#model/schema/model.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord, type Values } from '#base/values.js';
import { array, boolean, lazy, mixed, number, object, string } from '../check-body.js';
import { reservedAttributes, snakeCase } from './names.js';

/** What the attributes of a model may be. */
export interface AttributeRules {
  readonly types: readonly string[];
  readonly relations: readonly string[];
  /** The uids that relations may lead to. */
  readonly targets: readonly string[];
}

/** The order of types in messages of Strapi v4. */
const order = [
  ...['media', 'string', 'text', 'richtext', 'blocks', 'json', 'enumeration', 'password', 'email', 'integer', 'biginteger'],
  ...['float', 'decimal', 'date', 'time', 'datetime', 'timestamp', 'boolean', 'relation'],
];

/** Types that Strapi v4 does not have. The panel has no field for them, so that messages do not name them. */
const beyondPanel = ['point'];

/** Types of content types and components. Only content types have uids. */
const scalars = [...new Set([...order, ...Object.keys(scalarTypes)])].filter(
  (type) => type !== 'uid' && !beyondPanel.includes(type),
);

const toOneOrMany = ['oneToOne', 'oneToMany'];
const polymorphic = ['morphOne', 'morphMany', 'morphToOne', 'morphToMany'];

/** The relations of content types, by kind. */
const relationsOf: Readonly<Record<string, readonly string[]>> = {
  singleType: [...toOneOrMany, ...polymorphic],
  collectionType: [...toOneOrMany, 'manyToOne', 'manyToMany', ...polymorphic],
};

/** Returns the uids that relations may lead to. */
const targetsIn = (models: readonly Model[]): readonly string[] => [
  ...models
    .filter(({ kind, uid }) => kind === 'collectionType' && (!uid.startsWith('admin::') || uid === 'admin::user'))
    .map(({ uid }) => uid),
  ...['__self__', '__contentType__'],
];

/** Returns the rules of the attributes of a content type of a kind. */
export const rulesOfType = (kind: unknown, models: readonly Model[]): AttributeRules => ({
  types: [...scalars, 'uid', 'component', 'dynamiczone', 'customField'],
  relations: relationsOf[String(kind ?? 'collectionType')] ?? [],
  targets: targetsIn(models),
});

/** Returns the rules of the attributes of components. */
export const rulesOfComponent = (models: readonly Model[]): AttributeRules => ({
  types: [...scalars, 'component', 'customField'],
  relations: toOneOrMany,
  targets: targetsIn(models),
});

const forbidden: readonly string[] = ['__component', '__contentType', ...reservedAttributes];

const reserved = new Set(forbidden.map(snakeCase));

/** Returns whether an attribute may not have a name, in any spelling. */
const isReserved = (key: string): boolean => reserved.has(snakeCase(key));

const name = /^[A-Za-z][_0-9A-Za-z]*$/;

/** Returns the schema of the attributes of a model. */
export const attributesSchema = (rules: AttributeRules) =>
  lazy((given: unknown) => {
    const attributes = isRecord(given) ? given : {};
    const shape = Object.entries(attributes).map(([key, attribute]) => [
      key,
      attributeSchema(key, attribute, { rules, attributes }),
    ]);
    return object(Object.fromEntries(shape) as Record<string, ReturnType<typeof attributeSchema>>)
      .required('attributes.required')
      .default(undefined);
  });

interface Siblings {
  readonly rules: AttributeRules;
  readonly attributes: Values;
}

function attributeSchema(key: string, attribute: unknown, { rules, attributes }: Siblings) {
  const never = (message: string) => mixed().test('never', message, () => false);
  if (isReserved(key)) return never(`Attribute keys cannot be one of ${forbidden.join(', ')}`);
  if (!isRecord(attribute) || attribute['type'] === undefined) return never('Attribute must have either a type or a target');
  const keyed = `Attribute name '${key}' must match the following regex: ${String(name)}`;
  const schema =
    attribute['type'] === 'relation' ? relationSchema(attribute, rules) : typeSchema(attribute, { rules, attributes });
  return schema.test('key', keyed, () => name.test(key));
}

const common = () => ({ configurable: boolean().nullable(), private: boolean().nullable(), pluginOptions: object() });

function relationSchema({ relation }: Values, { relations, targets }: AttributeRules) {
  const message = `must be one of the following values: ${relations.join(', ')}`;
  const base = {
    type: string().oneOf(['relation']).required(),
    relation: string()
      .test('relation', message, (value) => value === undefined || relations.includes(value))
      .required(),
    ...common(),
  };
  const isPlain = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany', 'morphOne', 'morphMany'].includes(String(relation));
  if (!isPlain) return object(base);
  return object({ ...base, target: string().oneOf(targets).required(), targetAttribute: nameSchema().nullable() });
}

const nameSchema = () =>
  string().test(
    'name',
    ({ path }: { readonly path: string }) => `${path} must match the following regex: ${String(name)}`,
    (text) => (text === undefined || text === null || text === '' ? true : name.test(text)),
  );

const flag = boolean;
const length = () => number().integer().positive();
const text = () => ({ default: string(), required: flag(), minLength: length(), maxLength: length() });
const digits = () => string().nullable().matches(/^\d*$/);
const rules = () => ({ required: flag(), unique: flag() });
const figure = () => ({ ...rules(), default: number(), min: number(), max: number() });
const whole = () => ({ ...rules(), default: number().integer(), min: number().integer(), max: number().integer() });
const time = () => ({ default: string(), required: flag(), unique: flag() });
const searchable = () => ({ ...text(), unique: flag(), regex: string().test('regex', patternMessage, isPattern) });
const parts = () => ({ required: flag(), min: number(), max: number() });

const patternMessage = ({ path }: { readonly path: string }): string => `${path} must be a valid RexExp pattern string`;

function isPattern(pattern: string | undefined): boolean {
  try {
    return new RegExp(pattern ?? '') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The further schemas of an attribute, by its type. */
const shapes: Readonly<Record<string, (siblings: Siblings, attribute: Values) => object>> = {
  media: () => ({
    multiple: flag(),
    required: flag(),
    allowedTypes: array()
      .of(string().oneOf(['images', 'videos', 'files', 'audios']))
      .min(1),
  }),
  uid: ({ attributes }) => ({
    required: flag(),
    targetField: string().oneOf(textNames(attributes)).nullable(),
    default: string(),
    minLength: length(),
    maxLength: length().max(256),
    options: object(),
  }),
  string: searchable,
  text: searchable,
  richtext: text,
  email: () => ({ ...text(), unique: flag(), default: string().email() }),
  password: text,
  enumeration: (_, attribute) => ({
    enum: array()
      .of(
        string()
          .test('enum', enumMessage, (value) => value === undefined || !/^\d/.test(value))
          .required(),
      )
      .min(1)
      .test('unique', uniqueMessage, (values) => values === undefined || new Set(values).size === values.length)
      .required(),
    default: string().oneOf(Array.isArray(attribute['enum']) ? attribute['enum'].map(String) : []),
    enumName: nameSchema(),
    required: flag(),
  }),
  integer: whole,
  biginteger: () => ({ default: digits(), min: digits(), max: digits(), required: flag(), unique: flag() }),
  ...{ float: figure, decimal: figure },
  ...{ date: time, time, datetime: time, timestamp: time },
  boolean: () => ({ default: boolean(), required: flag() }),
  component: () => ({ ...parts(), repeatable: flag(), component: string().required() }),
  dynamiczone: () => ({ ...parts(), components: array().of(string().required()).min(1).required() }),
};

const enumMessage = ({ path }: { readonly path: string }): string => `${path} should not start with number`;
const uniqueMessage = ({ path }: { readonly path: string }): string => `${path} cannot contain duplicate values`;

/** Returns the names of the attributes that a uid can be made from. */
const textNames = (attributes: Values): string[] =>
  Object.entries(attributes).flatMap(([key, attribute]) =>
    isRecord(attribute) && ['string', 'text'].includes(String(attribute['type'])) ? [key] : [],
  );

function typeSchema(attribute: Values, siblings: Siblings) {
  const { types } = siblings.rules;
  const unlisted = ({ path }: { readonly path: string }) => `${path} must be one of the following values: ${types.join(', ')}`;
  const shape = Object.entries(shapes).find(([type]) => type === attribute['type'])?.[1];
  return object({
    type: string()
      .oneOf([...types, ...beyondPanel], unlisted)
      .required(),
    ...common(),
    ...shape?.(siblings, attribute),
  });
}
