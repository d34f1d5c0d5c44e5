import {
  GraphQLID,
  type GraphQLScalarType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLFieldConfigArgumentMap,
} from 'graphql';
import { isSynced } from '#http/sync-option.js';
import { replaceAction, uploadAction } from '#content/rights/known-actions.js';
import { type ContentType, uploadFile } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { actionOf } from '#model/query/access.js';
import { connectionResolver, findOneResolver, findResolver, findSingleResolver } from '../execute/read-resolvers.js';
import { localeCodeScalar } from '../scalars.js';
import { connectionArgs, connectionType } from './connection-types.js';
import { changeType } from './change-types.js';
import { changesName, findConnectionName, findName, findOneName, typeName } from '../type-names.js';
import {
  emptyFields,
  type FieldMap,
  type Fields,
  plainField,
  type PlainField,
  type SchemaContext,
  takingKey,
  withScope,
} from './schema-context.js';
import { createResolver, deleteResolver, localizationResolver, updateResolver } from '../execute/write-resolvers.js';
import { inputType } from './input-type.js';
import { listArgs } from './object-types.js';
import { publicationState, statusArgument } from './shared-types.js';
import type { RootAction } from './shadow.js';

/** The generated root fields of one content type. */
export interface RootFields {
  readonly queries: FieldMap;
  readonly mutations: FieldMap;
  /** Mutations that come after those of all types. */
  readonly localizations: FieldMap;
  readonly subscriptions: FieldMap;
}

/** Generates the root fields of a content type. */
export const rootFields = (type: ContentType, context: SchemaContext): RootFields => ({
  queries: context.complete((type.kind === 'singleType' ? singleFields : collectionFields)(type, context)),
  mutations: context.complete(mutationFields(type, context)),
  localizations: context.complete(localizationFields(type, context)),
  subscriptions: context.complete(subscriptionFields(type, context)),
});

/** Actions of types whose reads are granted by other controllers. */
const controllers: Readonly<Record<string, { readonly find: string; readonly findOne: string }>> = {
  'plugin::upload.file': { find: 'plugin::upload.content-api.find', findOne: 'plugin::upload.content-api.findOne' },
  'plugin::i18n.locale': { find: 'plugin::i18n.locales.listLocales', findOne: 'plugin::i18n.locales.listLocales' },
};

const readScope = (type: ContentType, action: 'find' | 'findOne') =>
  withScope([controllers[type.uid]?.[action] ?? actionOf(type, action)]);

/** Returns the argument `locale` of root fields; none if the type is not localized. */
const localeArgs = (type: ContentType): { readonly locale?: PlainField<GraphQLScalarType> } =>
  type.localized ? { locale: plainField(localeCodeScalar) } : {};

/** Returns the arguments of types whose published entries may have a draft beside them; none for others, which have those of Strapi v4. */
const draftArgs = (type: ContentType, args: GraphQLFieldConfigArgumentMap): GraphQLFieldConfigArgumentMap =>
  keepsDrafts(type) ? args : {};

const stateArgument = plainField(publicationState);

/** Returns the arguments of reads by locale. `fallbackLocale` comes with connections, without which the schema is that of Strapi v4. */
const readLocaleArgs = (type: ContentType, { connections }: SchemaContext): GraphQLFieldConfigArgumentMap => ({
  ...localeArgs(type),
  ...(type.localized && connections && { fallbackLocale: plainField(localeCodes) }),
});

/** Returns the subscription to the changes of a type, if it has sync and its list is a query. */
function subscriptionFields(type: ContentType, context: SchemaContext): Fields {
  if (!context.subscriptions || !isSynced(type) || !context.shadow.hasAction(type, 'find')) return {};
  const { filters, publicationState } = listArgs(type, context);
  const args = { ...(filters && { filters }), ...localeArgs(type), ...(publicationState && { publicationState }) };
  return {
    [changesName(type)]: {
      type: new GraphQLNonNull(changeType(type, context)),
      args: { ...args, token: plainField(GraphQLString) },
      resolve: (change: unknown) => change,
      ...readScope(type, 'find'),
      extensions: { ...readScope(type, 'find').extensions, changes: type },
    },
  };
}

const localeCodes = new GraphQLList(new GraphQLNonNull(localeCodeScalar));

function collectionFields(type: ContentType, context: SchemaContext): Fields {
  const { hasAction } = context.shadow;
  const fields = emptyFields();
  if (hasAction(type, 'findOne'))
    fields[findOneName(type)] = {
      type: context.objects.response(type, context),
      args: {
        id: plainField(GraphQLID),
        ...readLocaleArgs(type, context),
        ...draftArgs(type, { publicationState: stateArgument }),
      },
      resolve: findOneResolver(type),
      ...readScope(type, 'findOne'),
    };
  if (hasAction(type, 'find'))
    fields[findName(type)] = {
      type: context.objects.collection(type, context),
      args: { ...listArgs(type, context), ...readLocaleArgs(type, context) },
      resolve: findResolver(type),
      ...readScope(type, 'find'),
    };
  if (hasAction(type, 'find') && context.connections)
    fields[findConnectionName(type)] = {
      type: connectionType(type, context),
      args: { ...connectionArgs(type, context), ...readLocaleArgs(type, context) },
      resolve: connectionResolver(type),
      ...readScope(type, 'find'),
    };
  return fields;
}

function singleFields(type: ContentType, context: SchemaContext): Fields {
  if (!context.shadow.hasAction(type, 'find')) return {};
  return {
    [findOneName(type)]: {
      type: context.objects.response(type, context),
      args: { ...listArgs(type, context), ...readLocaleArgs(type, context) },
      resolve: findSingleResolver(type),
      ...readScope(type, 'find'),
    },
  };
}

type Write = Extract<RootAction, 'create' | 'update' | 'delete'>;

/** Returns the generated mutations of a content type. */
export function mutationFields(type: ContentType, context: SchemaContext): Fields {
  const name = typeName(type);
  const collection = type.kind === 'collectionType';
  const id = collection ? { id: plainField(new GraphQLNonNull(GraphQLID)) } : {};
  const fields = emptyFields();
  const add = (action: Write, args: GraphQLFieldConfigArgumentMap, resolve: NonNullable<Fields[string]['resolve']>): void => {
    if (!context.shadow.hasAction(type, action)) return;
    const response = { type: context.objects.response(type, context), args: { ...args, ...localeArgs(type) }, resolve };
    fields[action + name] = { ...response, ...withScope(writeActions(type, action), takingKey) };
  };
  const data = { ...dataArgs(type, context), ...draftArgs(type, { status: statusArgument }) };
  if (collection) add('create', data, createResolver(type));
  add('update', { ...id, ...data }, updateResolver(type));
  add('delete', id, deleteResolver(type));
  return fields;
}

/** Actions of the upload controller that grant the writes of files. */
const uploadActions: Readonly<Record<Write, readonly string[]>> = {
  create: [uploadAction],
  update: [uploadAction, replaceAction],
  delete: ['plugin::upload.content-api.destroy'],
};

const writeActions = (type: ContentType, action: Write): readonly string[] =>
  type.uid === uploadFile ? uploadActions[action] : [actionOf(type, action)];

function dataArgs(type: ContentType, context: SchemaContext): GraphQLFieldConfigArgumentMap {
  const input = inputType(type, context);
  return input === null ? {} : { data: plainField(new GraphQLNonNull(input)) };
}

/** Returns `create<Type>Localization` of a localized type. All arguments are nullable and are checked at run time. */
function localizationFields(type: ContentType, context: SchemaContext): Fields {
  if (!type.localized) return {};
  const input = inputType(type, context);
  return {
    [`create${typeName(type)}Localization`]: {
      type: context.objects.response(type, context),
      args: {
        id: plainField(GraphQLID),
        ...(input === null ? {} : { data: plainField(input) }),
        locale: plainField(localeCodeScalar),
      },
      resolve: localizationResolver(type),
      ...withScope([actionOf(type, 'createLocalization')], takingKey),
    },
  };
}
