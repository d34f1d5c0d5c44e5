import { nearestName } from '../nearest-name.js';
import type { AttributeDefinition } from './model.js';
import { isScalarType, scalarTypes } from './scalar-types.js';

const relations = [
  'oneToOne',
  'oneToMany',
  'manyToOne',
  'manyToMany',
  'morphOne',
  'morphMany',
  'morphToOne',
  'morphToMany',
] as const;
const structured = ['relation', 'media', 'component', 'dynamiczone'] as const;

const reservedNames = new Set(
  [
    'id',
    'createdAt',
    'updatedAt',
    'publishedAt',
    'createdById',
    'updatedById',
    'createdBy',
    'updatedBy',
    'component',
    'contentType',
  ].map((name) => name.toLowerCase()),
);

/** What is wrong with one attribute, taken alone; one line each. */
export function attributeProblems(name: string, attribute: AttributeDefinition): string[] {
  if (reservedNames.has(name.replaceAll('_', '').toLowerCase())) return [`attributes.${name} is a reserved name`];
  const problems = isScalarType(attribute.type) ? scalarProblems(attribute) : structureProblems(attribute);
  return problems.map((problem) => `attributes.${name}${problem}`);
}

function scalarProblems(attribute: AttributeDefinition): string[] {
  if (attribute.type === 'enumeration') return enumerationProblems(attribute.enum ?? []);
  if (attribute.unique === true && isScalarType(attribute.type) && !scalarTypes[attribute.type].uniqueAllowed)
    return [`.unique is not possible for type ${attribute.type}`];
  return [];
}

/** The GraphQL name of an enumeration value: diacritics off, everything that a name cannot hold becomes `_` (graphql.md 1.1). */
export const enumValueName = (value: string): string =>
  value
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^0-9A-Za-z]+/g, '_')
    .replace(/^_+|_+$/g, '');

function enumerationProblems(values: readonly string[]): string[] {
  if (values.length === 0) return ['.enum must list at least one value'];
  const names = values.map(enumValueName);
  const bad = values.filter((_, index) => !/^[_A-Za-z]\w*$/.test(names[index] ?? ''));
  const twice = values.filter((_, index) => names.indexOf(names[index] ?? '') !== index);
  return [
    ...bad.map((value) => `.enum: ${JSON.stringify(value)} must begin with a letter`),
    ...twice.map((value) => `.enum: ${JSON.stringify(value)} is too close to another value`),
  ];
}

function structureProblems(attribute: AttributeDefinition): string[] {
  switch (attribute.type) {
    case 'component':
      return attribute.component === undefined ? ['.component must name a component'] : [];
    case 'dynamiczone':
      return attribute.components === undefined ? ['.components must list components'] : [];
    case 'media':
      return [];
    case 'relation':
      return relationProblems(attribute);
    default:
      return [`.type: ${unknownName(attribute.type, [...Object.keys(scalarTypes), ...structured])}`];
  }
}

function relationProblems({ relation = '', target, morphBy, inversedBy, mappedBy }: AttributeDefinition): string[] {
  if (!(relations as readonly string[]).includes(relation)) return [`.relation: ${unknownName(relation, relations)}`];
  if (relation.startsWith('morphTo')) return [];
  if (typeof target !== 'string') return ['.target must name a content type'];
  if (relation.startsWith('morph'))
    return morphBy === undefined ? ['.morphBy must name the polymorphic attribute of the target'] : [];
  if (relation === 'manyToOne' && mappedBy) return ['.mappedBy is not possible for manyToOne, use inversedBy'];
  if (relation === 'oneToMany' && inversedBy) return ['.inversedBy is not possible for oneToMany, use mappedBy'];
  return inversedBy && mappedBy ? [' has both inversedBy and mappedBy'] : [];
}

function unknownName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return `unknown ${JSON.stringify(name)}${nearest === null ? '' : `, did you mean ${JSON.stringify(nearest)}?`}`;
}
