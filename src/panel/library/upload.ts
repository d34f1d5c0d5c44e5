import { applicationError, fieldErrors } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { parameterOf } from '../../http/route-request.js';
import { readUpload, type ReceivedUpload } from '../../http/read-upload.js';
import { mediaOf } from '../../http/running.js';
import { type FileInfo, parseFileInfo, parseFileInfos } from '../../media/parse-file-info.js';
import { Staging } from '../../media/staging.js';
import { replaceFile, updateFileInfo } from '../../media/update-file.js';
import { uploadFiles } from '../../media/upload-files.js';
import { decodeId, isRecord } from '../../values.js';
import type { PanelCall } from '../panel-route.js';
import { filesFor } from '../rights/content-access.js';
import { checkFile } from './check-file.js';
import { findFolder } from './folders.js';
import { showAll, showOne } from '../show-entries.js';

/** Stores new files, and answers them; with `?id=` changes a file, or replaces its content if there is one. */
export async function upload(call: PanelCall): Promise<Answer> {
  const id = parameterOf(call.request, 'id');
  const known = id === undefined ? null : decodeId(String(id));
  // Rights are checked before anything is stored.
  const content = filesFor(call, known === null ? 'plugin::upload.assets.create' : 'plugin::upload.assets.update');
  if (known !== null) await checkFile(known, content, call);
  const staging = new Staging(mediaOf(call.running, call.request), content.store.database.time);
  const work = { ...call, content, staging };
  try {
    const received = await readUpload(call, staging);
    return { body: await (known === null ? create(received, work) : change(known, received, work)) };
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
    files.length === 1 ? [await placed(parseFileInfo(sent), sent, [], call)] : await placedAll(sent, files.length, call);
  const entries = await uploadFiles({ files, infos, target: null }, call.staging, context(call));
  return showAll(entries, call.content).map((file) => ({ ...file, ...unsigned }));
}

async function placedAll(sent: unknown, count: number, call: UploadCall): Promise<readonly FileInfo[]> {
  const infos = parseFileInfos(sent);
  const given = decoded(sent);
  const parts: readonly unknown[] = Array.isArray(given) ? given : [];
  const all = Array.from({ length: count }, (_, index) => placed(infos[index] ?? {}, parts[index], [String(index)], call));
  return Promise.all(all);
}

async function change(id: number, { files, field }: ReceivedUpload, call: UploadCall): Promise<unknown> {
  const sent = field('fileInfo');
  const given = parseFileInfo(sent);
  const hasFolder = folderIn(sent) !== undefined;
  const info = hasFolder ? await placed(given, sent, [], call) : given;
  const [file, second] = files;
  if (second !== undefined) throw applicationError('Cannot replace a file with multiple ones');
  if (file === undefined) return showOne(await updateFileInfo({ id, info }, context(call)), call.content);
  const replaced = await replaceFile({ id, file, info }, call.staging, context(call));
  return { ...showOne(replaced, call.content), ...unsigned };
}

/** Returns the information about a file with its folder; without one it is at the top. Throws a ValidationError for none such. */
async function placed(info: FileInfo, sent: unknown, path: readonly string[], { content }: PanelCall): Promise<FileInfo> {
  const wanted = folderIn(sent) ?? null;
  if (wanted === null) return { ...info, folder: null, folderPath: '/' };
  const folder = await findFolder(decodeId(wanted), content);
  if (folder === null) throw fieldErrors([{ path: ['fileInfo', ...path, 'folder'], message: 'the folder does not exist' }]);
  return { ...info, folder: folder.id, folderPath: folder.path };
}

/** Returns the folder that information about a file names; null for the top, undefined if it names none. */
function folderIn(sent: unknown): unknown {
  const info = decoded(sent);
  return isRecord(info) ? info['folder'] : undefined;
}

/** Returns a field that may be JSON; its form was checked before. */
function decoded(sent: unknown): unknown {
  return typeof sent === 'string' ? (JSON.parse(sent) as unknown) : sent;
}
