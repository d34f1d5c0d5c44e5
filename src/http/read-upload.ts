import type { Staging, UploadedFile } from '#media/staging.js';
import { isRecord } from '#base/values.js';
import { decodeField } from './receive-body.js';
import type { MultipartBody } from './read-multipart.js';
import type { RouteCall } from './route.js';
import { mediaOf } from './running.js';

/** The body of an upload: multipart with files, or JSON with only `fileInfo`. */
export interface ReceivedUpload {
  readonly files: readonly UploadedFile[];
  /** Names of fields that contain files but are not file fields of uploads. */
  readonly unknown: readonly string[];
  /** Returns the value of a field, or the list of its values if it occurs several times. */
  readonly field: (name: string) => unknown;
  /** The digest of a multipart body of a request with a key; null for others. */
  readonly digest: string | null;
}

/** Reads the body of an upload, and stages its files. */
export async function readUpload(
  { request, running }: Pick<RouteCall, 'request' | 'running'>,
  staging: Staging,
): Promise<ReceivedUpload> {
  const { readMultipart, body } = request;
  if (readMultipart !== null) {
    const form = await readMultipart(staging, mediaOf(running).settings);
    for (const text of form.fields.get('fileInfo') ?? [])
      decodeField(text, 'fileInfo', running.config.middlewares.body.jsonDepth);
    return received(form);
  }
  const field = (name: string): unknown => (isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined);
  return { files: [], unknown: [], field, digest: null };
}

function received({ fields, files, digest }: MultipartBody): ReceivedUpload {
  const isSent = ({ field }: (typeof files)[number]): boolean => field === 'files' || field === 'files[]';
  const sentFiles = files.filter(isSent).map(({ file }) => file);
  const unknown = files.filter((file) => !isSent(file)).map(({ field }) => field);
  const field = (name: string): unknown => {
    const values = fields.get(name);
    return values === undefined || values.length > 1 ? values : values[0];
  };
  return { files: sentFiles, unknown, field, digest: digest ?? null };
}
