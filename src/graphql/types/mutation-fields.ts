import { GraphQLID, GraphQLNonNull } from 'graphql';
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import { actionOf, type ContentType } from '../../schema/content-type.js';
import { createResolver, deleteResolver, localizationResolver, updateResolver } from '../execute/write-resolvers.js';
import { localeCodeScalar } from '../scalars/locale-code.js';
import { inputType } from './input-type.js';
import { typeName } from '../type-names.js';
import { localeArgs } from './query-fields.js';
import { emptyFields, type Fields, plainField, type SchemaContext, withScope } from './schema-context.js';
import type { RootAction } from './shadow.js';

type Write = Extract<RootAction, 'create' | 'update' | 'delete'>;

/** The generated mutations of one content type. */
export function mutationFields(type: ContentType, context: SchemaContext): Fields {
  const name = typeName(type);
  const collection = type.kind === 'collectionType';
  const id = collection ? { id: plainField(new GraphQLNonNull(GraphQLID)) } : {};
  const fields = emptyFields();
  const add = (action: Write, args: GraphQLFieldConfigArgumentMap, resolve: NonNullable<Fields[string]['resolve']>): void => {
    if (!context.shadow.hasAction(type, action)) return;
    const response = { type: context.objects.response(type, context), args: { ...args, ...localeArgs(type) }, resolve };
    fields[action + name] = { ...response, ...withScope([writeAction(type, action)]) };
  };
  if (collection) add('create', dataArgs(type, context), createResolver(type));
  add('update', { ...id, ...dataArgs(type, context) }, updateResolver(type));
  add('delete', id, deleteResolver(type));
  return fields;
}

/** Files are written by the upload controller's rights. */
const uploadActions: Readonly<Record<Write, string>> = {
  create: 'plugin::upload.content-api.upload',
  update: 'plugin::upload.content-api.upload',
  delete: 'plugin::upload.content-api.destroy',
};

const writeAction = (type: ContentType, action: Write): string =>
  type.uid === 'plugin::upload.file' ? uploadActions[action] : actionOf(type, action);

function dataArgs(type: ContentType, context: SchemaContext): GraphQLFieldConfigArgumentMap {
  const input = inputType(type, context);
  return input === null ? {} : { data: plainField(new GraphQLNonNull(input)) };
}

/** `create<Type>Localization` of a localized type; everything nullable, checked at run time. */
export function localizationFields(type: ContentType, context: SchemaContext): Fields {
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
      ...withScope([actionOf(type, 'createLocalization')]),
    },
  };
}
