import { checkJson } from '#http/receive-body.js';
import { decodeOrNull, isRecord } from '#base/values.js';
import type { MultipartBody } from '#http/read-multipart.js';
import type { UploadedFile } from '#media/staging.js';
import { asUpload } from '../scalars.js';

/**
 * Returns the JSON body of a multipart request (GraphQL multipart request convention): `operations`, with each file at its paths
 * in `map`. Returns null if one of the two is missing or invalid. Throws a 400 if `operations` is nested deeper than `depth`, as
 * `checkJson` does.
 */
export function placeFiles({ fields, files }: MultipartBody, depth: number): unknown {
  const operations = decodeOrNull(fields.get('operations')?.[0] ?? 'null');
  checkJson(operations, depth);
  const map = decodeOrNull(fields.get('map')?.[0] ?? 'null');
  if (!isRecord(map) || (!isRecord(operations) && !Array.isArray(operations)) || files.length === 0) return null;
  const byField = new Map(files.map(({ field, file }) => [field, file]));
  for (const [field, paths] of Object.entries(map)) {
    const file = byField.get(field);
    if (file === undefined || !Array.isArray(paths)) return null;
    const upload = asUpload(file);
    if (!paths.every((path) => typeof path === 'string' && place(operations, path.split('.'), upload))) return null;
  }
  return operations;
}

/**
 * Replaces the null at a path. Returns false if there is none. Changes the tree in place, because it was just decoded and is not
 * shared.
 */
function place(root: unknown, path: readonly string[], upload: UploadedFile): boolean {
  let holder: unknown = root;
  for (const name of path.slice(0, -1)) holder = ownValue(holder, name);
  const last = path.at(-1) ?? '';
  if (typeof holder !== 'object' || holder === null || ownValue(holder, last) !== null) return false;
  return Reflect.set(holder, last, upload);
}

const ownValue = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (Reflect.get(holder, name) as unknown)
    : undefined;
