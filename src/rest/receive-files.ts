import { replaceAction } from '../auth/known-actions.js';
import { refuseOrTell } from '../content/refuse-or-tell.js';
import { applicationError, missingActions, validationError } from '../errors.js';
import { readUpload, type ReceivedUpload } from '../http/read-upload.js';
import { parameterOf } from '../http/route-request.js';
import type { RouteCall } from '../http/route.js';
import { mediaOf } from '../http/running.js';
import { findTarget } from '../media/find-target.js';
import { parseFileInfo, parseFileInfos } from '../media/parse-file-info.js';
import { Staging } from '../media/staging.js';
import { replaceFile, updateFileInfo } from '../media/update-file.js';
import { otherFields } from '../media/unlinked.js';
import { uploadFiles } from '../media/upload-files.js';
import { allows } from '../query/access.js';
import { decodeId } from '../values.js';
import { flatEntries, flatEntry, type Json } from './envelope.js';

/** Handles `POST /api/upload`. Returns the list of new files, or the changed file if there is `?id=`. */
export async function receive(input: RouteCall): Promise<Json | readonly Json[]> {
  const media = mediaOf(input.running);
  const staging = new Staging(media, input.content.store.database.time);
  try {
    const body = await readUpload(input, staging);
    const id = parameterOf(input.request, 'id');
    return id === undefined ? await upload(body, staging, input) : await change(decodeId(String(id)), body, staging, input);
  } finally {
    await staging.discard();
  }
}

async function upload({ files, unknown, field }: ReceivedUpload, staging: Staging, input: RouteCall): Promise<readonly Json[]> {
  const [only] = files;
  if (only === undefined && unknown[0] !== undefined)
    throw validationError(`Files are empty: upload them in the field "files", not "${unknown[0]}"`);
  if (only === undefined || (files.length === 1 && only.size === 0)) throw validationError('Files are empty');
  refuseOrTell(otherFields(unknown), input.content);
  const info = field('fileInfo');
  const infos = files.length === 1 ? [parseFileInfo(info)] : parseFileInfos(info);
  const context = { media: mediaOf(input.running), content: input.content };
  const target = findTarget({ ref: field('ref'), refId: field('refId'), field: field('field') }, context);
  const entries = await uploadFiles({ files, infos, target }, staging, context);
  return flatEntries(entries, input.content);
}

/** Changes a file. Throws a ForbiddenError unless the caller may replace files, because files have no owners. */
async function change(id: number, { files, field }: ReceivedUpload, staging: Staging, input: RouteCall): Promise<Json> {
  if (!allows(input.content.bind.access, replaceAction)) throw missingActions([replaceAction]);
  const context = { media: mediaOf(input.running), content: input.content };
  const info = parseFileInfo(field('fileInfo'));
  const [file, second] = files;
  if (second !== undefined) throw applicationError('Cannot replace a file with multiple ones');
  if (file === undefined) return flatEntry(await updateFileInfo(id, info, context), input.content);
  return flatEntry(await replaceFile({ id, file, info }, staging, context), input.content);
}
