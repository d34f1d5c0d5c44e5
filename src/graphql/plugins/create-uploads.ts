import { badRequestError } from '../../errors.js';
import { mediaOf } from '../../http/running.js';
import { checkNewRow } from '../../media/file-values.js';
import { findTarget } from '../../media/find-target.js';
import { parseFileInfo } from '../../media/parse-file-info.js';
import type { UploadedFile } from '../../media/staging.js';
import { updateFileInfo } from '../../media/update-file.js';
import { idsOf } from '../../media/link-files.js';
import { uploadFiles } from '../../media/upload-files.js';
import type { GraphqlContext } from '../graphql-context.js';

/**
 * The entry to link an uploaded file to, and information about the file, from the arguments `refId`, `ref`, `field` and `info`.
 */
export interface UploadTarget {
  readonly refId: string | null;
  readonly ref: string | null;
  readonly field: string | null;
  readonly info: Readonly<Record<string, unknown>> | null;
}

/** Operations on the media library. They return ids of files, which are then read as selected. */
export interface UploadService {
  readonly upload: (files: readonly UploadedFile[], target: UploadTarget, context: GraphqlContext) => Promise<readonly number[]>;
  /** Throws a NotFoundError for an unknown id. */
  readonly updateFileInfo: (id: string, info: Readonly<Record<string, unknown>>, context: GraphqlContext) => Promise<number>;
  /** Throws a ValidationError for an entry that refers to the content of another file. */
  readonly checkNewRow: (row: Readonly<Record<string, unknown>>, context: GraphqlContext) => Promise<void>;
}

const mediaContext = ({ running, content }: GraphqlContext) => ({ media: mediaOf(running), content });

/** The operations on the media library. */
export const uploads: UploadService = {
  upload: async (files, { info, ...names }, context) => {
    const { staging } = context;
    if (staging === null) throw badRequestError('Files are empty');
    const inMedia = mediaContext(context);
    const target = findTarget(names, inMedia);
    const infos = files.map(() => parseFileInfo(info ?? undefined));
    return idsOf(await uploadFiles({ files, infos, target }, staging, inMedia));
  },
  updateFileInfo: async (id, info, context) => {
    const { document } = await updateFileInfo({ id: Number(id), info: parseFileInfo(info) }, mediaContext(context));
    return Number(document['_id']);
  },
  checkNewRow: (row, { running }) => checkNewRow(row, mediaOf(running)),
};
