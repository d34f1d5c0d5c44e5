import { replaceAction } from '#content/rights/known-actions.js';
import type { ContentContext } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { refuseOrLog } from '#content/refuse-or-log.js';
import { applicationError, missingActions, validationError } from '#base/errors.js';
import { readUpload, type ReceivedUpload } from '#http/read-upload.js';
import { preconditionOf } from '#http/preconditions.js';
import { parameterOf } from '#http/route-request.js';
import { requireKey, runWithKey } from '#http/idempotency/read-key.js';
import type { Answer, RouteCall } from '#http/route.js';
import { mediaOf } from '#http/running.js';
import { fileType } from '#media/decide-type.js';
import { findTarget, otherFields } from '#media/link-files.js';
import { parseFileInfo, parseFileInfos } from '#media/parse-file-info.js';
import { Staging } from '#media/staging.js';
import { prepareReplacement, updateFileInfo } from '#media/update-file.js';
import { prepareFiles, publishFiles } from '#media/upload-files.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import { allows } from '#model/query/access.js';
import { decodeId } from '#base/values.js';
import { flatEntries, flatEntry } from './envelope.js';
import { requiresIfMatch } from './type-options.js';

/** Stores received files, and returns what is answered. */
type Store = (content: ContentContext) => Promise<Answer>;

/** Handles `POST /api/upload`. Answers with the list of new files, or with the changed file if there is `?id=`. */
export async function receive(input: RouteCall): Promise<Answer> {
  const id = parameterOf(input.request, 'id');
  const type = fileType(input.content);
  requireKey(type, input.request.headers);
  const changes = id !== undefined;
  const precondition = preconditionOf(input.request.headers, { changes, isRequired: changes && requiresIfMatch(type) });
  const media = mediaOf(input.running, input.request);
  const staging = new Staging(media, input.content.store.database.time);
  try {
    const body = await readUpload(input, staging);
    const store = await (changes
      ? change({ ...precondition, id: decodeId(String(id)) }, body, staging, input)
      : upload(body, staging, input));
    return await runWithKey(input, store, body.digest);
  } finally {
    await staging.discard();
  }
}

async function upload({ files, unknown, field }: ReceivedUpload, staging: Staging, input: RouteCall): Promise<Store> {
  const [only] = files;
  if (only === undefined && unknown[0] !== undefined)
    throw validationError(`Files are empty: upload them in the field "files", not "${unknown[0]}"`);
  if (only === undefined || (files.length === 1 && only.size === 0)) throw validationError('Files are empty');
  refuseOrLog(otherFields(unknown), input.content);
  const info = field('fileInfo');
  const { content } = input;
  const infos = files.length === 1 ? [parseFileInfo(info, content)] : parseFileInfos(info, content);
  const context = { media: mediaOf(input.running, input.request), content };
  const target = findTarget({ ref: field('ref'), refId: field('refId'), field: field('field') }, context);
  const ready = await prepareFiles({ files, infos }, staging, context);
  return async (content) => ({ body: flatEntries(await publishFiles(ready, target, staging, content), content) });
}

/** Returns the function that changes a file. Throws a ForbiddenError unless the caller may replace files, because files have no owners. */
async function change(
  key: Omit<EntryKey, 'type'>,
  { files, field }: ReceivedUpload,
  staging: Staging,
  input: RouteCall,
): Promise<Store> {
  if (!allows(input.content.bind.access, replaceAction)) throw missingActions([replaceAction]);
  const context = { media: mediaOf(input.running, input.request), content: input.content };
  const info = parseFileInfo(field('fileInfo'), input.content);
  const [file, second] = files;
  if (second !== undefined) throw applicationError('Cannot replace a file with multiple ones');
  const answer = (changed: LoadedEntry, content: ContentContext): Answer => ({
    version: versionOf(changed),
    body: flatEntry(changed, content),
  });
  if (file === undefined)
    return async (content) => answer(await updateFileInfo({ ...key, info }, { ...context, content }), content);
  const replace = await prepareReplacement({ ...key, file, info }, staging, context);
  return async (content) => answer(await replace(content), content);
}
