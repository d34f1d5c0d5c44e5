import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ContentContext } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import { entityOf, type Entity, type EntityParameters, type EntityService } from '#api/code/entity-service.js';
import { mediaOf, type RunningService } from '#http/running.js';
import { findTarget } from '#media/link-files.js';
import { parseFileInfo } from '#media/parse-file-info.js';
import { folderIn, placeFile } from '#media/place-file.js';
import { Staging, type UploadedFile } from '#media/staging.js';
import { replaceFile, updateFileInfo } from '#media/update-file.js';
import type { MediaContext } from '#media/media.js';
import { uploadFiles } from '#media/upload-files.js';
import { uploadFile } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import { describingFiles, placeIn } from './described-files.js';
import type { QueryEngine } from './query-engine.js';
import { type ByUser, writtenBy } from './written-by.js';

interface UploadParts {
  /** Throws a 503 until the database has answered. */
  readonly running: () => RunningService;
  /** Returns the current context of code. */
  readonly content: () => ContentContext;
  readonly entityService: EntityService;
  readonly query: (uid: string) => QueryEngine;
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
    for (const [field, file] of given) await attach({ ref: uid, refId: id, field }, file as FileOnDisk, parts); // checked there
    return given.length > 0;
  };

type MediaParts = Pick<UploadParts, 'running' | 'content'>;

const openMedia = async ({ running, content }: MediaParts, by?: ByUser): Promise<MediaContext> => ({
  media: mediaOf(running()),
  content: await writtenBy(by, content()),
});

/** Stores files in the folders that `fileInfo` names, by default at the top of the media library. */
const store = async ({ files, data = {} }: UploadInput, parts: MediaParts, by?: ByUser): Promise<Entity[]> =>
  withStaged([files].flat() as readonly FileOnDisk[], await openMedia(parts, by), async (staged, staging, context) => {
    const { ref, refId, field, fileInfo } = data;
    const target = findTarget({ ref, refId, field }, context);
    const sent: readonly unknown[] = [fileInfo].flat(1);
    const infos = staged.map((_, index) => placeFile(parseFileInfo(sent[index]), sent[index], ['fileInfo'], context.content));
    return (await uploadFiles({ files: staged, infos: await Promise.all(infos), target }, staging, context)).map(entityOf);
  });

/** Stores files of an entry, in the folder of files that are uploaded through the API. */
const attach = async (
  place: Parameters<typeof findTarget>[0],
  files: UploadInput['files'],
  parts: MediaParts,
): Promise<Entity[]> =>
  withStaged([files].flat() as readonly FileOnDisk[], await openMedia(parts), async (staged, staging, context) => {
    const target = findTarget(place, context);
    return (await uploadFiles({ files: staged, infos: [], target }, staging, context)).map(entityOf);
  });

interface Replacement {
  readonly file: FileOnDisk;
  readonly data?: Values;
}

const replaceContent = async (id: number, { file, data = {} }: Replacement, parts: MediaParts, by?: ByUser): Promise<Entity> =>
  withStaged([file], await openMedia(parts, by), async ([staged], staging, context) => {
    if (staged === undefined) throw validationError('Files are empty');
    const order = { id: Number(id), file: staged, info: parseFileInfo(data['fileInfo']) };
    return entityOf(await replaceFile(order, staging, context));
  });

/** Returns `strapi.plugin('upload').service('upload')`. */
export function createUploadService(parts: UploadParts) {
  const { entityService, query } = parts;
  return {
    ...describingFiles(parts),
    /** Stores all files or none. Returns their entries. */
    upload: (input: UploadInput, by?: ByUser): Promise<Entity[]> => store(input, parts, by),
    /** Stores a file that code describes: `{ name, mime, buffer, alternativeText, caption, folder }`. Returns its entry. */
    uploadFileAndPersist: async (file: FileOnDisk & Values, by?: ByUser): Promise<Entity | undefined> =>
      (await store({ files: file, data: { ...placeIn(file), fileInfo: infoOf(file) } }, parts, by))[0],
    /** Stores files and links them to an entry: `{ id, model, field }`. */
    uploadToEntity: ({ id, model, field }: Values, files: UploadInput['files']): Promise<Entity[]> =>
      attach({ ref: model, refId: id, field }, files, parts),
    /** Changes the information about a file. Without `folder` it stays in its folder. */
    updateFileInfo: async (id: number, given: Values, by?: ByUser): Promise<Entity> => {
      const context = await openMedia(parts, by);
      const unplaced = parseFileInfo(given);
      const info = folderIn(given) === undefined ? unplaced : await placeFile(unplaced, given, ['fileInfo'], context.content);
      return entityOf(await updateFileInfo({ id: Number(id), info }, context));
    },
    /** Replaces the content of a file. Its address stays. */
    replace: (id: number, input: Replacement, by?: ByUser): Promise<Entity> => replaceContent(id, input, parts, by),
    findOne: (id: number, populate?: unknown) =>
      entityService.findOne(uploadFile, id, populate === undefined ? {} : { populate }),
    findMany: (parameters?: EntityParameters) => entityService.findMany(uploadFile, parameters),
    /** Adds the entry of a file whose content is stored elsewhere. As in Strapi v4, only the types of values are checked. */
    add: (values: object, { user }: ByUser = {}) =>
      query(uploadFile).create({ data: { ...values, ...(user && { createdBy: user.id, updatedBy: user.id }) } }),
    /** Changes values of the entry of a file. */
    update: (id: number, values: object, { user }: ByUser = {}) =>
      query(uploadFile).update({ where: { id }, data: { ...values, ...(user && { updatedBy: user.id }) } }),
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

const infoOf = ({ name, alternativeText, caption, folder }: Values): Values => ({
  ...(name !== undefined && { name }),
  ...(alternativeText !== undefined && { alternativeText }),
  ...(caption !== undefined && { caption }),
  ...(folder !== undefined && { folder }),
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
