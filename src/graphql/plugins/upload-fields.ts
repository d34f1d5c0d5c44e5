import { GraphQLID, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';
import { replaceAction } from '../../auth/known-actions.js';
import { type ContentType, uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { resolveEntry } from '../execute/read-resolvers.js';
import { createResolver, deleteResolver, updateResolver } from '../execute/write-resolvers.js';
import { checkRowChange } from '../../media/file-values.js';
import type { UploadedFile } from '../../media/staging.js';
import { uploadScalar } from '../scalars.js';
import { mutationFields } from '../types/root-fields.js';
import { type Fields, type SchemaContext, shownType, takingKey, withScope } from '../types/schema-context.js';
import type { UploadService, UploadTarget } from './create-uploads.js';

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, Values>;

const fileInfoInput = new GraphQLInputObjectType({
  name: 'FileInfoInput',
  fields: { name: { type: GraphQLString }, alternativeText: { type: GraphQLString }, caption: { type: GraphQLString } },
});

const info = { info: { type: fileInfoInput } };
const target = { refId: { type: GraphQLID }, ref: { type: GraphQLString }, field: { type: GraphQLString } };
const id = { id: { type: new GraphQLNonNull(GraphQLID) } };

/** Returns the mutations of files and their content. */
export function uploadMutations(service: UploadService, context: SchemaContext): Fields {
  const file = shownType(context, uploadFile);
  if (file === null) return {};
  const response = context.objects.response(file, context);
  const write = withScope(['plugin::upload.content-api.upload'], takingKey);
  return {
    upload: {
      type: new GraphQLNonNull(response),
      args: { ...target, ...info, file: { type: new GraphQLNonNull(uploadScalar) } },
      resolve: uploadOne(service, file),
      ...write,
    },
    multipleUpload: {
      type: new GraphQLNonNull(new GraphQLList(response)),
      args: { ...target, files: { type: new GraphQLNonNull(new GraphQLList(uploadScalar)) } },
      resolve: uploadMany(service, file),
      ...write,
    },
    updateFileInfo: {
      type: new GraphQLNonNull(response),
      args: { ...id, ...info },
      resolve: updateInfo(service, file),
      ...withScope(['plugin::upload.content-api.upload', replaceAction], takingKey),
    },
    removeFile: {
      type: response,
      args: id,
      resolve: removeOrNull(file),
      ...withScope(['plugin::upload.content-api.destroy'], takingKey),
    },
    ...rowMutations(service, file, context),
  };
}

/** Returns the generated mutations of file entries, if the schema has them. They check that a file entry keeps its content. */
function rowMutations(service: UploadService, file: ContentType, context: SchemaContext): Fields {
  const { createUploadFile, updateUploadFile, deleteUploadFile } = mutationFields(file, context);
  const create = checked((row, context_) => service.checkNewRow(row, context_), createResolver(file));
  const update = checked(checkRowChange, updateResolver(file));
  return {
    ...(createUploadFile && { createUploadFile: { ...createUploadFile, resolve: create } }),
    ...(updateUploadFile && { updateUploadFile: { ...updateUploadFile, resolve: update } }),
    ...(deleteUploadFile && { deleteUploadFile }),
  };
}

function checked(check: (row: Values, context: GraphqlContext) => Promise<void> | void, resolve: Resolver): Resolver {
  return async (root, args: Values, context, info_) => {
    await check(isRecord(args['data']) ? args['data'] : {}, context);
    return resolve(root, args, context, info_);
  };
}

function targetOf(args: Values): UploadTarget {
  const text = (name: string): string | null => (args[name] === undefined || args[name] === null ? null : String(args[name]));
  return { refId: text('refId'), ref: text('ref'), field: text('field'), info: isRecord(args['info']) ? args['info'] : null };
}

const uploadOne = (service: UploadService, file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const [stored] = await service.upload([args['file'] as UploadedFile], targetOf(args), context); // the scalar has checked it
    return resolveEntry(file, stored, context, info_);
  };
};

const uploadMany = (service: UploadService, file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const files = (args['files'] as readonly (UploadedFile | null)[]).filter((one) => one !== null); // the scalar has checked them
    if (files.length === 0) return [];
    const stored = await service.upload(files, targetOf(args), context);
    return Promise.all(stored.map((one) => resolveEntry(file, one, context, info_)));
  };
};

const updateInfo = (service: UploadService, file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const stored = await service.updateFileInfo(String(args['id']), isRecord(args['info']) ? args['info'] : {}, context);
    return resolveEntry(file, stored, context, info_);
  };
};

/** Returns a resolver that deletes a file. It returns null instead of an empty response for an unknown id. */
const removeOrNull = (file: ContentType): Resolver => {
  const remove = deleteResolver(file);
  return async (root, args, context, info_) => {
    const removed = await remove(root, args, context, info_);
    return removed.value === null ? null : removed;
  };
};
