import type { CallOptions, Call } from './requester.js';
import type { Progress } from './transport.js';

/** A Blob or File; or a file of React Native, by its address. */
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

export interface UploadOptions extends CallOptions {
  /** Information about the files, in their order. */
  readonly info?: readonly FileInfo[];
  /** The entry that gets the files: the uid of its type, its id, and the attribute. */
  readonly to?: { readonly ref: string; readonly refId: number | string; readonly field: string };
  /** Called while the files are sent, where there is XMLHttpRequest: in browsers and React Native. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The request that uploads files. It has no time limit unless one is given. */
export function uploadCall(files: readonly Uploadable[], { info, to, ...options }: UploadOptions): Call {
  const body = new FormData();
  for (const [name, value] of Object.entries(to ?? {})) body.append(name, String(value));
  if (info !== undefined) body.append('fileInfo', JSON.stringify(files.length === 1 ? info[0] : info));
  for (const file of files) body.append('files', file as Blob); // React Native takes its own files, too
  return { timeout: 0, ...options, method: 'POST', path: '/upload', body };
}
