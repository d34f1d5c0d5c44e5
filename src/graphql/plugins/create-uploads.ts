import { badRequestError } from '../../errors.js';
import { mediaOf } from '../../http/running.js';
import { checkNewRow } from '../../media/check-file-row.js';
import { findTarget } from '../../media/find-target.js';
import { parseFileInfo } from '../../media/parse-file-info.js';
import { updateFileInfo } from '../../media/update-file.js';
import { idsOf, uploadFiles } from '../../media/upload-files.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import type { UploadService } from './upload-service.js';

const mediaContext = ({ running, content }: GraphqlContext) => ({ media: mediaOf(running), content });

/** The media library as GraphQL calls it. */
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
    const { document } = await updateFileInfo(Number(id), parseFileInfo(info), mediaContext(context));
    return Number(document['_id']);
  },
  checkNewRow: (row, { running }) => checkNewRow(row, mediaOf(running)),
};
