import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ContentContext } from '../../content/content-context.js';
import { validationError } from '../../errors.js';
import { entityOf, type Entity, type EntityParameters, type EntityService } from '../../code/entity-service.js';
import { mediaOf, type Running } from '../../http/running.js';
import { findTarget } from '../../media/link-files.js';
import { parseFileInfo, parseFileInfos } from '../../media/parse-file-info.js';
import { Staging, type UploadedFile } from '../../media/staging.js';
import { replaceFile, updateFileInfo } from '../../media/update-file.js';
import type { MediaContext } from '../../media/media.js';
import { uploadFiles } from '../../media/upload-files.js';
import { uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';

interface UploadParts {
  /** Throws a 503 until the database has answered. */
  readonly running: () => Running;
  /** Returns the current context of code. */
  readonly content: () => ContentContext;
  readonly entityService: EntityService;
}

/**
 * A file: one of `ctx.request.files`, or one that code describes, also with older property names of Strapi v4. Its content is on
 * disk, unless `getStream`, `stream` or `buffer` has it.
 */
interface FileOnDisk {
  readonly filepath?: string;
  readonly path?: string;
  readonly originalFilename?: string;
  readonly name?: string;
  readonly mimetype?: string;
  readonly type?: string;
  readonly mime?: string;
  readonly getStream?: () => Readable;
  readonly stream?: Readable;
  readonly buffer?: Uint8Array;
}

interface UploadInput {
  readonly files: FileOnDisk | readonly FileOnDisk[];
  /** `ref`, `refId` and `field` name the entry to link the files to. `fileInfo` is an object, or a list for several files. */
  readonly data?: Values;
}

/**
 * Stores files and links them to an entry, by attribute: `{ cover: file, gallery: [file, file] }`. Returns whether there were
 * any. Throws a ValidationError for an attribute that does not accept files.
 */
export type AttachFiles = (uid: string, id: number | string, files: unknown) => Promise<boolean>;

export const createAttachFiles =
  (parts: Pick<UploadParts, 'running' | 'content'>): AttachFiles =>
  async (uid, id, files) => {
    const given = Object.entries(isRecord(files) ? files : {});
    for (const [field, file] of given) await store({ files: file as FileOnDisk, data: { ref: uid, refId: id, field } }, parts); // `store` checks it
    return given.length > 0;
  };

const openMedia = ({ running, content }: Pick<UploadParts, 'running' | 'content'>): MediaContext => ({
  media: mediaOf(running()),
  content: content(),
});

const store = ({ files, data = {} }: UploadInput, parts: Pick<UploadParts, 'running' | 'content'>): Promise<Entity[]> =>
  withStaged([files].flat() as readonly FileOnDisk[], openMedia(parts), async (staged, staging, context) => {
    const { ref, refId, field, fileInfo } = data;
    const target = findTarget({ ref, refId, field }, context);
    const infos = Array.isArray(fileInfo) ? parseFileInfos(fileInfo) : [parseFileInfo(fileInfo)];
    return (await uploadFiles({ files: staged, infos, target }, staging, context)).map(entityOf);
  });

/** Returns `strapi.plugin('upload').service('upload')`. */
export function createUploadService(parts: UploadParts) {
  const { entityService } = parts;
  const open = (): MediaContext => openMedia(parts);
  return {
    /** Stores all files or none. Returns their entries. */
    upload: (input: UploadInput): Promise<Entity[]> => store(input, parts),
    /** Stores a file that code describes: `{ name, mime, buffer, alternativeText, caption }`. Returns its entry. */
    uploadFileAndPersist: async (file: FileOnDisk & Values): Promise<Entity | undefined> =>
      (await store({ files: file, data: { fileInfo: infoOf(file) } }, parts))[0],
    /** Stores files and links them to an entry: `{ id, model, field }`. */
    uploadToEntity: ({ id, model, field }: Values, files: UploadInput['files']): Promise<Entity[]> =>
      store({ files, data: { ref: model, refId: id, field } }, parts),
    /** Changes the information about a file. */
    updateFileInfo: async (id: number, info: Values): Promise<Entity> =>
      entityOf(await updateFileInfo({ id: Number(id), info: parseFileInfo(info) }, open())),
    /** Replaces the content of a file. Its address stays. */
    replace: (id: number, { file, data = {} }: { readonly file: FileOnDisk; readonly data?: Values }): Promise<Entity> =>
      withStaged([file], open(), async ([staged], staging, context) => {
        if (staged === undefined) throw validationError('Files are empty');
        const order = { id: Number(id), file: staged, info: parseFileInfo(data['fileInfo']) };
        return entityOf(await replaceFile(order, staging, context));
      }),
    findOne: (id: number, populate?: unknown) =>
      entityService.findOne(uploadFile, id, populate === undefined ? {} : { populate }),
    findMany: (parameters?: EntityParameters) => entityService.findMany(uploadFile, parameters),
    /** Deletes a file and its content. */
    remove: ({ id }: { readonly id: number }) => entityService.delete(uploadFile, id),
  };
}

type Work<Result> = (files: readonly UploadedFile[], staging: Staging, context: MediaContext) => Promise<Result>;

/** Runs a function with staged files. Files that it does not keep are deleted. */
async function withStaged<Result>(files: readonly FileOnDisk[], context: MediaContext, work: Work<Result>): Promise<Result> {
  const staging = new Staging(context.media, context.content.store.database.time);
  try {
    const staged: UploadedFile[] = [];
    for (const file of files) staged.push(await stageFile(file, staging, context));
    return await work(staged, staging, context);
  } finally {
    await staging.discard();
  }
}

const infoOf = ({ name, alternativeText, caption }: Values): Values => ({
  ...(name !== undefined && { name }),
  ...(alternativeText !== undefined && { alternativeText }),
  ...(caption !== undefined && { caption }),
});

async function stageFile(file: FileOnDisk, staging: Staging, { media }: MediaContext): Promise<UploadedFile> {
  const content = contentOf(file);
  const name = file.originalFilename ?? file.name;
  if (content === null || name === undefined) throw validationError('files: a file needs a filepath and an originalFilename');
  const mime = file.mimetype ?? file.type ?? file.mime ?? 'application/octet-stream';
  const bytes = await staging.stage(content, { name, mime, limit: media.settings.sizeLimit });
  return { ...bytes, name, mime };
}

/** Returns the content of a file; null if it has none. */
function contentOf({ getStream, stream, buffer, path, filepath = path }: FileOnDisk): Readable | null {
  if (getStream !== undefined) return getStream();
  if (stream !== undefined) return stream;
  if (buffer !== undefined) return Readable.from([buffer]);
  return filepath === undefined ? null : createReadStream(filepath);
}
