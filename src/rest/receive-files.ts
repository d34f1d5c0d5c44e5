import { replaceAction } from '../auth/known-actions.js';
import type { EntryKey } from '../content/content-context.js';
import { refuseOrTell, type Undone } from '../content/refuse-or-tell.js';
import { applicationError, missingActions, validationError } from '../errors.js';
import { readUpload, type ReceivedUpload } from '../http/read-upload.js';
import { preconditionOf } from '../http/preconditions.js';
import { parameterOf } from '../http/route-request.js';
import type { Answer, RouteCall } from '../http/route.js';
import { mediaOf } from '../http/running.js';
import { fileType } from '../media/decide-type.js';
import { findTarget } from '../media/find-target.js';
import { parseFileInfo, parseFileInfos } from '../media/parse-file-info.js';
import { Staging } from '../media/staging.js';
import { replaceFile, updateFileInfo } from '../media/update-file.js';
import { otherFields } from '../media/unlinked.js';
import { uploadFiles } from '../media/upload-files.js';
import { type Loaded, versionOf } from '../mongo/form/loaded.js';
import { allows } from '../query/access.js';
import { decodeId } from '../values.js';
import { flatEntries, flatEntry, type Json } from './envelope.js';

/** Handles `POST /api/upload`. Answers with the list of new files, or with the changed file if there is `?id=`. */
export async function receive(input: RouteCall): Promise<Answer> {
  const id = parameterOf(input.request, 'id');
  const { requiresIfMatch } = fileType(input.content);
  const changes = id !== undefined;
  const precondition = preconditionOf(input.request.headers, { changes, isRequired: changes && requiresIfMatch });
  const media = mediaOf(input.running);
  const staging = new Staging(media, input.content.store.database.time);
  try {
    const body = await readUpload(input, staging);
    if (id === undefined) return { body: await upload(body, staging, input) };
    const file = await change({ ...precondition, id: decodeId(String(id)) }, body, staging, input);
    return { version: versionOf(file), body: flatEntry(file, input.content) };
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
  const tell = teller(input);
  const infos = files.length === 1 ? [parseFileInfo(info, tell)] : parseFileInfos(info, tell);
  const context = { media: mediaOf(input.running), content: input.content };
  const target = findTarget({ ref: field('ref'), refId: field('refId'), field: field('field') }, context);
  const entries = await uploadFiles({ files, infos, target }, staging, context);
  return flatEntries(entries, input.content);
}

const teller =
  ({ content }: RouteCall) =>
  (unread: readonly Undone[]): void => {
    refuseOrTell(unread, content);
  };

/** Changes a file. Throws a ForbiddenError unless the caller may replace files, because files have no owners. */
async function change(
  key: Omit<EntryKey, 'type'>,
  { files, field }: ReceivedUpload,
  staging: Staging,
  input: RouteCall,
): Promise<Loaded> {
  if (!allows(input.content.bind.access, replaceAction)) throw missingActions([replaceAction]);
  const context = { media: mediaOf(input.running), content: input.content };
  const info = parseFileInfo(field('fileInfo'), teller(input));
  const [file, second] = files;
  if (second !== undefined) throw applicationError('Cannot replace a file with multiple ones');
  return file === undefined ? updateFileInfo({ ...key, info }, context) : replaceFile({ ...key, file, info }, staging, context);
}
