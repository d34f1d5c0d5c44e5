import type { CallOptions, Call } from './requester.js';
import type { Progress } from './transport.js';

/** A Blob or File, or a file of React Native with its address. */
export type Uploadable = BlobLike | { readonly uri: string; readonly name: string; readonly type: string };

interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface FileInfo {
  readonly name?: string;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
}

/** What is uploaded besides the files. The options of the request may be here or, as for all writes, in the last parameter. */
export interface UploadOptions extends CallOptions {
  /** Information about the files, in the same order. */
  readonly info?: readonly FileInfo[];
  /** The entry to link the files to: uid of the type, id, and attribute. */
  readonly to?: { readonly ref: string; readonly refId: number | string; readonly field: string };
  /** Called during the upload. Works only with XMLHttpRequest, that is, in browsers and React Native. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Returns the request that uploads files. It has no time limit by default. */
export function uploadCall(files: readonly Uploadable[], { info, to, ...options }: UploadOptions): Call {
  const body = new FormData();
  for (const [name, value] of Object.entries(to ?? {})) body.append(name, String(value));
  if (info !== undefined) body.append('fileInfo', JSON.stringify(files.length === 1 ? info[0] : info));
  for (const file of files) body.append('files', file as Blob); // React Native also accepts its own file objects
  return { timeout: 0, ...options, method: 'POST', path: '/upload', body };
}
