import { GraphQLList, GraphQLNonNull } from 'graphql';
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import { isRecord } from '../../values.js';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, ScalarAttribute } from '../../schema/content-type.js';
import { componentResolver, linkResolver, morphResolver, zoneResolver } from '../execute/read-resolvers.js';
import { filtersType } from './filters-type.js';
import { morphUnion, zoneUnion } from './union-types.js';
import { isGraphqlName } from '../type-names.js';
import { enumType, scalarFields } from './scalar-fields.js';
import { emptyFields, type Fields, plainField, type SchemaContext, shownType } from './schema-context.js';
import { listArguments, publicationStateArgument } from './shared-types.js';

type Field = Fields[string];

/**
 * Returns the output fields of a type's attributes, in order. Omits private attributes, and relations whose target is not shown.
 */
export function attributeFields(type: ContentType, context: SchemaContext): Fields {
  const fields = emptyFields();
  for (const attribute of type.attributes.values()) {
    if (attribute.private || !isGraphqlName(attribute.name) || !context.shadow.hasOutput(type.uid, attribute.name)) continue;
    const field = attributeField(type, attribute, context);
    if (field === null) continue;
    const isNonNull = attribute.required && !context.nullableOutput;
    fields[attribute.name] = isNonNull ? { ...field, type: new GraphQLNonNull(field.type) } : field;
  }
  return fields;
}

function attributeField(type: ContentType, attribute: Attribute, context: SchemaContext): Field | null {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.type === 'enumeration'
        ? { type: enumType(type, attribute, context), resolve: listedValue(attribute) }
        : plainField(scalarFields[attribute.type]);
    case 'relation':
    case 'media':
      return linkField(attribute, type, context);
    case 'component':
      return componentField(attribute, type, context);
    case 'dynamiczone': {
      const union = zoneUnion(type, attribute, context);
      return { type: new GraphQLList(union), resolve: zoneResolver(attribute, type) };
    }
    case 'morph': {
      const union = morphUnion(type, attribute, context);
      return { type: attribute.many ? new GraphQLList(union) : union, resolve: morphResolver(attribute, type) };
    }
  }
}

/** Returns a resolver for the value of an enumeration: null if the model lists the stored value no more. */
const listedValue =
  ({ name, enum: values }: ScalarAttribute) =>
  (source: unknown): unknown => {
    const value = isRecord(source) ? source[name] : null;
    return values.some((listed) => listed === value) ? value : null;
  };

function linkField(link: LinkAttribute, owner: ContentType, context: SchemaContext): Field | null {
  const target = shownType(context, link.target);
  if (target === null) return null;
  const field = { resolve: linkResolver(link, owner), extensions: { target: link.target } };
  if (!link.many) return { type: context.objects.response(target, context), ...field };
  return { type: context.objects.relationCollection(target, context), args: listArgs(target, context), ...field };
}

function componentField(attribute: ComponentAttribute, owner: ContentType, context: SchemaContext): Field | null {
  const component = shownType(context, attribute.component);
  if (component === null) return null;
  const type = context.objects.component(component, context);
  const resolve = componentResolver(attribute, owner);
  if (!attribute.repeatable) return { type, resolve };
  return { type: new GraphQLList(type), args: listArgs(component, context), resolve };
}

/** Returns the arguments of a list of entries or components. Localizations of a single type have only `publicationState`. */
export function listArgs(type: ContentType, context: SchemaContext): GraphQLFieldConfigArgumentMap {
  const state = type.draftAndPublish ? { publicationState: publicationStateArgument } : {};
  return type.kind === 'singleType' ? state : { filters: plainField(filtersType(type, context)), ...listArguments, ...state };
}
