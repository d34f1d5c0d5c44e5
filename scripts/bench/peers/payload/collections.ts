import { type Document, ObjectId } from 'mongodb';
import type { AttributeDefinition, Model } from '../../../../src/model/schema/model.js';
import { attributesOf, models } from '../../models.js';
import { payloadId } from './payload.js';
import type { Values } from '../plain-answer.js';

/** The types that Payload is asked for. */
const served = models.filter(({ collectionName = '' }) =>
  ['authors', 'categories', 'tags', 'articles', 'pages'].includes(collectionName),
);

/** What the media library keeps of a file. Payload is given it as entries: the data set has no bytes of them. */
const file: Model['attributes'] = {
  ...Object.fromEntries(
    'name alternativeText caption hash ext mime url previewUrl provider'.split(' ').map((name) => [name, { type: 'text' }]),
  ),
  ...{ width: { type: 'integer' }, height: { type: 'integer' }, size: { type: 'decimal' }, formats: { type: 'json' } },
};

const attributesIn = (collection: string): Model['attributes'] => (collection === 'files' ? file : attributesOf(collection));

const permit = (): boolean => true;

const fieldsOf = (attributes: Model['attributes']): readonly object[] =>
  Object.entries(attributes).flatMap(([name, attribute]) => (isStored(attribute) ? { name, ...fieldOf(attribute) } : []));

/** Lists from the other side of a relation, and comments, are in no question. */
const isStored = ({ mappedBy }: AttributeDefinition): boolean => mappedBy === undefined;

function fieldOf(attribute: AttributeDefinition): object {
  const { type, index = false, required = false, enum: options, component = '', components = [] } = attribute;
  if (isLink(attribute))
    return { type: 'relationship', relationTo: targetOf(attribute), hasMany: isMany(attribute), index: true };
  if (type === 'component') return { type: attribute.repeatable ? 'array' : 'group', fields: fieldsOf(componentOf(component)) };
  if (type === 'dynamiczone')
    return { type: 'blocks', blocks: components.map((slug) => ({ slug, fields: fieldsOf(componentOf(slug)) })) };
  return { type: types[type], index, required, ...(options && { options }), ...(type === 'uid' && { unique: true }) };
}

const types: Readonly<Record<string, string>> = {
  ...{ string: 'text', uid: 'text', text: 'textarea', richtext: 'textarea', enumeration: 'select' },
  ...{ integer: 'number', decimal: 'number', json: 'json' },
};

const isLink = ({ type }: AttributeDefinition): boolean => type === 'relation' || type === 'media';
const isMany = ({ relation = '', multiple }: AttributeDefinition): boolean => relation.endsWith('Many') || multiple === true;
const targetOf = ({ target }: AttributeDefinition): string => models.find(({ uid }) => uid === target)?.collectionName ?? 'files';
const componentOf = (name: string): Model['attributes'] => models.find(({ uid }) => uid === name)?.attributes ?? {};

/** The collections of Payload, with indexes where the product has some: by relations, by the time of publication, and those of models. */
export const collections = ['files', ...served.map(({ collectionName = '' }) => collectionName)].map((slug) => ({
  slug,
  access: { read: permit, create: permit, update: permit },
  fields: [...fieldsOf(attributesIn(slug)), { name: 'publishedAt', type: 'date' }],
  // Payload sorts by the time of creation after any other attribute
  indexes: ['publishedAt', ...Object.keys(attributesIn(slug)).filter((name) => name === 'views')].map((name) => ({
    fields: [name, 'createdAt'],
  })),
}));

/** An entry of the data set as Payload stores it. */
export const toDocument = ({ _id, publishedAt, createdAt, updatedAt, ...values }: Document, collection: string): Document => ({
  _id: objectId(_id),
  ...storedValues(attributesIn(collection), values),
  ...{ createdAt, updatedAt },
  ...(publishedAt && { publishedAt }),
});

function storedValues(attributes: Model['attributes'], values: Values): Values {
  const stored = Object.entries(attributes).filter(([name, attribute]) => isStored(attribute) && isGiven(values[name]));
  return Object.fromEntries(stored.map(([name, attribute]) => [name, storedValue(attribute, values[name])]));
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function storedValue(attribute: AttributeDefinition, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => storedValue(attribute, item));
  if (isLink(attribute)) return objectId(value);
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return value;
  const { id, __component, ...values } = value as Values;
  const kind = String(__component ?? attribute.component);
  const blockType = __component === undefined ? {} : { blockType: kind };
  return { id: payloadId(Number(id)), ...blockType, ...storedValues(componentOf(kind), values) };
}

const objectId = (id: unknown): ObjectId => new ObjectId(payloadId(Number(id)));
