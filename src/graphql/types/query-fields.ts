import { GraphQLID, type GraphQLScalarType } from 'graphql';
import { actionOf, type ContentType } from '../../schema/content-type.js';
import { findOneResolver, findResolver, findSingleResolver } from '../execute/read-resolvers.js';
import { localeCodeScalar } from '../scalars/locale-code.js';
import { listArgs } from './attribute-fields.js';
import { findName, findOneName } from '../type-names.js';
import { emptyFields, type Fields, plainField, type PlainField, type SchemaContext, withScope } from './schema-context.js';

/** The generated queries of one content type. */
export function queryFields(type: ContentType, context: SchemaContext): Fields {
  return type.kind === 'singleType' ? singleFields(type, context) : collectionFields(type, context);
}

/** Media and locales are read through controllers of their own, whose actions roles grant. */
const controllers: Readonly<Record<string, { readonly find: string; readonly findOne: string }>> = {
  'plugin::upload.file': { find: 'plugin::upload.content-api.find', findOne: 'plugin::upload.content-api.findOne' },
  'plugin::i18n.locale': { find: 'plugin::i18n.locales.listLocales', findOne: 'plugin::i18n.locales.listLocales' },
};

const readScope = (type: ContentType, action: 'find' | 'findOne') =>
  withScope([controllers[type.uid]?.[action] ?? actionOf(type, action)]);

/** The `locale` argument of root fields of localized types. */
export const localeArgs = (type: ContentType): { readonly locale?: PlainField<GraphQLScalarType> } =>
  type.localized ? { locale: plainField(localeCodeScalar) } : {};

function collectionFields(type: ContentType, context: SchemaContext): Fields {
  const { hasAction } = context.shadow;
  const fields = emptyFields();
  if (hasAction(type, 'findOne'))
    fields[findOneName(type)] = {
      type: context.objects.response(type, context),
      args: { id: plainField(GraphQLID), ...localeArgs(type) },
      resolve: findOneResolver(type),
      ...readScope(type, 'findOne'),
    };
  if (hasAction(type, 'find'))
    fields[findName(type)] = {
      type: context.objects.collection(type, context),
      args: { ...listArgs(type, context), ...localeArgs(type) },
      resolve: findResolver(type),
      ...readScope(type, 'find'),
    };
  return fields;
}

function singleFields(type: ContentType, context: SchemaContext): Fields {
  if (!context.shadow.hasAction(type, 'find')) return {};
  return {
    [findOneName(type)]: {
      type: context.objects.response(type, context),
      args: { ...listArgs(type, context), ...localeArgs(type) },
      resolve: findSingleResolver(type),
      ...readScope(type, 'find'),
    },
  };
}
