import { applicationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { parameterOf } from '#http/route-request.js';
import { readUpload, type ReceivedUpload } from '#http/read-upload.js';
import { mediaOf } from '#http/running.js';
import { type FileInfo, parseFileInfo, parseFileInfos } from '#media/parse-file-info.js';
import { folderIn, placeFile } from '#media/place-file.js';
import { Staging } from '#media/staging.js';
import { replaceFile, updateFileInfo } from '#media/update-file.js';
import { uploadFiles } from '#media/upload-files.js';
import { decodeId, decodeOrNull } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { filesFor } from '../rights/content-access.js';
import { checkFile } from './check-file.js';
import { showAll, showOne } from '../show-entries.js';

/** Stores new files, and answers them; with `?id=` changes a file, or replaces its content if there is one. */
export async function upload(call: PanelCall): Promise<Answer> {
  const id = parameterOf(call.request, 'id');
  const fileId = id === undefined ? null : decodeId(String(id));
  // Rights are checked before anything is stored.
  const content = filesFor(call, fileId === null ? 'plugin::upload.assets.create' : 'plugin::upload.assets.update');
  if (fileId !== null) await checkFile(fileId, content, call);
  const staging = new Staging(mediaOf(call.running, call.request), content.store.database.time);
  const work = { ...call, content, staging };
  try {
    const received = await readUpload(call, staging);
    return { body: await (fileId === null ? create(received, work) : change(fileId, received, work)) };
  } finally {
    await staging.discard();
  }
}

interface UploadCall extends PanelCall {
  readonly staging: Staging;
}

const context = ({ running, request, content }: PanelCall) => ({ media: mediaOf(running, request), content });

const unsigned = { isUrlSigned: false };

async function create({ files, field }: ReceivedUpload, call: UploadCall): Promise<unknown> {
  const [only] = files;
  if (only === undefined || (files.length === 1 && only.size === 0)) throw applicationError('Files are empty');
  const sent = field('fileInfo');
  const infos =
    files.length === 1
      ? [await placeFile(parseFileInfo(sent), sent, ['fileInfo'], call.content)]
      : await placeFiles(sent, files.length, call);
  const entries = await uploadFiles({ files, infos, target: null }, call.staging, context(call));
  return showAll(entries, call.content).map((file) => ({ ...file, ...unsigned }));
}

async function placeFiles(sent: unknown, count: number, { content }: UploadCall): Promise<readonly FileInfo[]> {
  const infos = parseFileInfos(sent);
  const list = typeof sent === 'string' ? decodeOrNull(sent) : sent;
  const parts: readonly unknown[] = Array.isArray(list) ? list : [];
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      placeFile(infos[index] ?? {}, parts[index], ['fileInfo', String(index)], content),
    ),
  );
}

async function change(id: number, { files, field }: ReceivedUpload, call: UploadCall): Promise<unknown> {
  const sent = field('fileInfo');
  const unplaced = parseFileInfo(sent);
  const info = folderIn(sent) === undefined ? unplaced : await placeFile(unplaced, sent, ['fileInfo'], call.content);
  const [file, second] = files;
  if (second !== undefined) throw applicationError('Cannot replace a file with multiple ones');
  if (file === undefined) return showOne(await updateFileInfo({ id, info }, context(call)), call.content);
  const replaced = await replaceFile({ id, file, info }, call.staging, context(call));
  return { ...showOne(replaced, call.content), ...unsigned };
}
