import type { Context, Middleware } from 'koa';
import { badRequestError } from '../../errors.js';
import { readMultipart } from '../../http/read-multipart.js';
import { checkNewRow } from '../../media/check-file-row.js';
import { findTarget } from '../../media/find-target.js';
import type { Media } from '../../media/media.js';
import { parseFileInfo } from '../../media/parse-file-info.js';
import { Staging } from '../../media/staging.js';
import { updateFileInfo } from '../../media/update-file.js';
import { idsOf, uploadFiles } from '../../media/upload-files.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import type { MultipartBody } from '../http/place-files.js';
import type { UploadService } from './upload-service.js';

/** What GraphQL needs to take files. */
export interface Uploads {
  readonly service: UploadService;
  readonly readMultipart: (ctx: Context) => Promise<MultipartBody>;
  /** Stands around the endpoint: files that no operation has used are deleted when the request ends. */
  readonly discardUnused: Middleware;
}

/** The media library for GraphQL. `media` throws 503 while there is no database. */
export function createUploads(media: () => Media): Uploads {
  const stagings = new WeakMap<Context, Staging>();
  return {
    service: createService(media, stagings),
    readMultipart: async (ctx) => {
      const staging = new Staging(media());
      stagings.set(ctx, staging);
      const { fields, files } = await readMultipart(ctx, staging, media().settings);
      return {
        fields: Object.fromEntries([...fields].map(([name, values]) => [name, values[0] ?? ''])),
        files: new Map(files.map(({ field, file }) => [field, file])),
      };
    },
    discardUnused: async (ctx, next) => {
      try {
        await next();
      } finally {
        await stagings.get(ctx)?.discard();
      }
    },
  };
}

function createService(media: () => Media, stagings: WeakMap<Context, Staging>): UploadService {
  const contextOf = ({ content }: GraphqlContext) => ({ media: media(), content });
  return {
    upload: async (files, { info, ...names }, context) => {
      const staging = stagings.get(context.koaContext);
      if (staging === undefined) throw badRequestError('Files are empty');
      const order = { files, infos: files.map(() => parseFileInfo(info ?? undefined)) };
      const target = findTarget(names, contextOf(context));
      return idsOf(await uploadFiles({ ...order, target }, staging, contextOf(context)));
    },
    updateFileInfo: async (id, info, context) => {
      const { document } = await updateFileInfo(Number(id), parseFileInfo(info), contextOf(context));
      return Number(document['_id']);
    },
    checkNewRow: (row) => checkNewRow(row, media()),
  };
}
