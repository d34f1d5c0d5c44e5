import type { Values } from '#base/values.js';
import { oneOf, orNull, type Schema } from '#http/json-schema.js';
import { type Access, accessInPart, actionOf, allows, readable } from '#model/query/access.js';
import { isAggregated } from '#model/query/aggregate/aggregation.js';
import { takesValues } from '#model/query/aggregate/figures.js';
import type { BindContext } from '#model/query/bind-context.js';
import { type Operator, operators, quantifiers, takesOperator } from '#model/query/operators.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { componentsOf, hasParts, listsParts, type PartsAttribute } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { decidesPublication } from './publication.js';
import { zonePart } from '../openapi/components.js';
import { answerSchema, scalarInput } from '../openapi/scalar-schemas.js';
import { isOpenLink } from '../openapi/shown-attributes.js';

/** What a caller sees of the models, and the components that were described so far. */
interface Description {
  readonly registry: Registry;
  readonly access: Access;
  readonly defs: Record<string, Schema>;
}

/** The attributes of a type as a JSON schema, with the components that it refers to, and what may be asked of them. */
export interface TypeDescription {
  readonly schema: Schema;
  /** By kinds of scalars. */
  readonly operators: Readonly<Record<string, readonly string[]>>;
  /** Of lists of relations, files and components; absent if there are none. */
  readonly quantifiers?: readonly string[];
  /** The functions of groups by kinds of scalars. Those that can be counted are also keys of groups. Absent for components. */
  readonly functions?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the description of a type or component, as far as the caller may read it. */
export function describeAttributes(type: ContentType, { registry, access }: BindContext): TypeDescription {
  const defs: Record<string, Schema> = {};
  const schema = objectOf(type, { registry, access, defs });
  const values = [schema, ...Object.values(defs)].flatMap(({ properties }) =>
    Object.values(properties as Record<string, Values>),
  );
  const kinds = [...new Set(values.flatMap(({ kind }) => (kind ?? []) as ScalarAttribute['type'] | never[]))].sort();
  return {
    schema: Object.keys(defs).length === 0 ? schema : { ...schema, $defs: defs },
    operators: Object.fromEntries(kinds.map((kind) => [kind, operatorsOf(kind)])),
    ...(shownOf(type, access).some(isList) && { quantifiers: quantifiers.map((name) => `$${name}`) }),
    ...(isAggregated(type) && allows(access, actionOf(type, 'aggregate')) && { functions: functionsOf(kinds) }),
  };
}

/** Returns the operators of the values of a type. */
function operatorsOf(name: ScalarAttribute['type']): readonly string[] {
  const { stored } = scalarTypes[name];
  return (Object.keys(operators) as Operator[]).filter((one) => takesOperator(stored, one)).map((one) => `$${one}`);
}

/** Returns the functions of groups that take values of a type, by types. */
const functionsOf = (kinds: readonly ScalarAttribute['type'][]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    kinds.flatMap((type) => {
      const names = figureNames.filter((name) => takesValues(name, { kind: 'scalar', type }));
      return names.length === 0 ? [] : [[type, names]];
    }),
  );

const figureNames = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const;

/** Returns whether quantifiers stand below an attribute. */
const isList = (attribute: Attribute): boolean =>
  ((attribute.kind === 'relation' || attribute.kind === 'media') && attribute.many) ||
  (attribute.kind === 'component' && attribute.repeatable);

const shownOf = (type: ContentType, access: Access): readonly Attribute[] =>
  [...type.attributes.values()].filter(({ name }) => readable(type, name, access) !== null);

function objectOf(type: ContentType, description: Description): Schema {
  const { access } = description;
  const attributes = shownOf(type, access);
  const schemas = attributes.flatMap((attribute) => {
    const inner = { ...description, access: hasParts(attribute) ? accessInPart(access, type, attribute.name) : access };
    const schema = schemaOf(attribute, inner);
    return schema === null
      ? []
      : [[attribute.name, isWritten(attribute, type) ? schema : { ...schema, readOnly: true }] as const];
  });
  const required = attributes.filter(({ required, writable }) => required && writable).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(schemas),
    ...(required.length > 0 && { required: required.filter((name) => schemas.some(([one]) => one === name)) }),
  };
}

/** Returns whether tools write an attribute as a value: what decides when an entry is public is written by tools of its own. */
const isWritten = ({ name, writable }: Attribute, { draftAndPublish }: ContentType): boolean =>
  writable && !(draftAndPublish && decidesPublication(name));

/** Returns the schema of an attribute; null if the caller may not see what it leads to. */
function schemaOf(attribute: Attribute, description: Description): Schema | null {
  const { access, registry } = description;
  switch (attribute.kind) {
    case 'scalar':
      return { ...scalarOf(attribute), kind: attribute.type };
    case 'relation':
    case 'media': {
      if (!isOpenLink(attribute, access)) return null;
      const target = registry.types.get(attribute.target);
      if (target === undefined) return null;
      const name = attribute.kind === 'media' ? 'file' : target.singularName;
      return {
        type: attribute.many ? 'array' : ['integer', 'null'],
        ...(attribute.many && { items: { type: 'integer' } }),
        target: name,
      };
    }
    case 'morph':
      return { type: attribute.many ? 'array' : 'object', description: 'Entries of several types: {"__type":uid,"id":id}' };
    case 'component':
    case 'dynamiczone':
      return partsOf(attribute, description);
  }
}

const scalarOf = (attribute: ScalarAttribute): Schema => {
  const schema = attribute.writable ? scalarInput(attribute) : answerSchema(attribute);
  return attribute.required || !attribute.writable ? schema : orNull(schema);
};

/** Returns the schema of components, each of which is described once. */
function partsOf(attribute: PartsAttribute, description: Description): Schema {
  const { registry, defs } = description;
  const isZone = attribute.kind === 'dynamiczone';
  const parts = componentsOf(attribute).flatMap((uid) => {
    const type = registry.types.get(uid);
    if (type === undefined) return [];
    const name = nameOf(type, description);
    if (!Object.hasOwn(defs, name)) {
      defs[name] = { type: 'object', properties: {} }; // reserves the name, because a component may contain itself
      defs[name] = objectOf(type, description);
    }
    const part = { $ref: `#/$defs/${name}` };
    return [isZone ? zonePart(uid, part) : part];
  });
  const part = oneOf(parts);
  return listsParts(attribute) ? { type: 'array', items: part } : orNull(part);
}

/** Returns the name of the description of a component: its uid, and which of its values are shown if not all are. */
const nameOf = ({ uid }: ContentType, { access: { partPaths } }: Description): string =>
  partPaths === undefined || partPaths === null ? uid : `${uid}(${partPaths.join(',')})`;
