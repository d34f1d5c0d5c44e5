import { GraphQLID, GraphQLInputObjectType, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';
import { replaceAction } from '#content/rights/known-actions.js';
import { badRequestError } from '#base/errors.js';
import { mediaOf } from '#http/running.js';
import { checkNewRow, checkRowChange } from '#media/file-values.js';
import { findTarget, idsOf } from '#media/link-files.js';
import type { MediaContext } from '#media/media.js';
import { parseFileInfo } from '#media/parse-file-info.js';
import type { UploadedFile } from '#media/staging.js';
import { updateFileInfo } from '#media/update-file.js';
import { uploadFiles } from '#media/upload-files.js';
import { type ContentType, uploadFile } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { resolveEntry } from '../execute/read-resolvers.js';
import { createResolver, deleteResolver, updateResolver } from '../execute/write-resolvers.js';
import { uploadScalar } from '../scalars.js';
import { mutationFields } from '../types/root-fields.js';
import { type Fields, type SchemaContext, shownType, takingKey, withScope } from '../types/schema-context.js';

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, Values>;

const fileInfoInput = new GraphQLInputObjectType({
  name: 'FileInfoInput',
  fields: { name: { type: GraphQLString }, alternativeText: { type: GraphQLString }, caption: { type: GraphQLString } },
});

const info = { info: { type: fileInfoInput } };
const target = { refId: { type: GraphQLID }, ref: { type: GraphQLString }, field: { type: GraphQLString } };
const id = { id: { type: new GraphQLNonNull(GraphQLID) } };

/** Returns the mutations of files and their content. */
export function uploadMutations(context: SchemaContext): Fields {
  const file = shownType(context, uploadFile);
  if (file === null) return {};
  const response = context.objects.response(file, context);
  const write = withScope(['plugin::upload.content-api.upload'], takingKey);
  return {
    upload: {
      type: new GraphQLNonNull(response),
      args: { ...target, ...info, file: { type: new GraphQLNonNull(uploadScalar) } },
      resolve: uploadOne(file),
      ...write,
    },
    multipleUpload: {
      type: new GraphQLNonNull(new GraphQLList(response)),
      args: { ...target, files: { type: new GraphQLNonNull(new GraphQLList(uploadScalar)) } },
      resolve: uploadMany(file),
      ...write,
    },
    updateFileInfo: {
      type: new GraphQLNonNull(response),
      args: { ...id, ...info },
      resolve: updateInfo(file),
      ...withScope(['plugin::upload.content-api.upload', replaceAction], takingKey),
    },
    removeFile: {
      type: response,
      args: id,
      resolve: removeOrNull(file),
      ...withScope(['plugin::upload.content-api.destroy'], takingKey),
    },
    ...rowMutations(file, context),
  };
}

/** Returns the generated mutations of file entries, if the schema has them. They check that a file entry keeps its content. */
function rowMutations(file: ContentType, context: SchemaContext): Fields {
  const { createUploadFile, updateUploadFile, deleteUploadFile } = mutationFields(file, context);
  const create = checked((row, { running }) => checkNewRow(row, mediaOf(running)), createResolver(file));
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

const mediaContext = ({ running, content }: GraphqlContext): MediaContext => ({ media: mediaOf(running), content });

/** Stores files, and links them to the entry that the arguments name. Returns the ids of their entries. */
async function store(files: readonly UploadedFile[], args: Values, context: GraphqlContext): Promise<readonly number[]> {
  const { staging } = context;
  if (staging === null) throw badRequestError('Files are empty');
  const inMedia = mediaContext(context);
  const { ref, refId, field, info: given } = args;
  const order = {
    files,
    target: findTarget({ ref, refId, field }, inMedia),
    infos: files.map(() => parseFileInfo(given ?? undefined)),
  };
  return idsOf(await uploadFiles(order, staging, inMedia));
}

const uploadOne = (file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const [stored] = await store([args['file'] as UploadedFile], args, context); // the scalar has checked it
    return resolveEntry(file, stored, context, info_);
  };
};

const uploadMany = (file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const files = (args['files'] as readonly (UploadedFile | null)[]).filter((one) => one !== null); // the scalar has checked them
    if (files.length === 0) return [];
    const stored = await store(files, args, context);
    return Promise.all(stored.map((one) => resolveEntry(file, one, context, info_)));
  };
};

const updateInfo = (file: ContentType): Resolver => {
  return async (_root, args: Values, context, info_) => {
    const order = { id: Number(args['id']), info: parseFileInfo(args['info'] ?? {}) };
    const { document } = await updateFileInfo(order, mediaContext(context));
    return resolveEntry(file, document['_id'], context, info_);
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
