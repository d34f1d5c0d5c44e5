import type { ByteRange } from '../media/storage/file-storage.js';
import type { StoredBlob } from '../mongo/stores/blob-store.js';
import type { RouteRequest } from './route-request.js';

/**
 * Returns the part of a file that a GET asks for; null for all of it: without a range, with several or in another unit, or if
 * If-Range names another version (RFC 9110, 14).
 */
export function parseRange({ method, headers }: RouteRequest, file: StoredBlob): ByteRange | 'unsatisfiable' | null {
  const found = method === 'GET' ? /^bytes=(\d{0,15})-(\d{0,15})$/.exec((headers.range ?? '').replaceAll(' ', '')) : null;
  if (found === null || !isCurrent(headers['if-range'], file)) return null;
  const [, first = '', last = ''] = found;
  if (first === '') return last === '' ? null : suffix(Number(last), file.size);
  const start = Number(first);
  const end = last === '' ? file.size : Math.min(Number(last) + 1, file.size);
  if (last !== '' && Number(last) < start) return null;
  return start >= file.size ? 'unsatisfiable' : { start, end };
}

/** The last bytes of a file. */
const suffix = (count: number, size: number): ByteRange | 'unsatisfiable' =>
  count === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(size - count, 0), end: size };

/** Only a strong tag, or the very date, promises the same bytes. */
const isCurrent = (ifRange: string | string[] | undefined, { id, modifiedAt }: StoredBlob): boolean =>
  ifRange === undefined || ifRange === '' || ifRange === `"${id}"` || ifRange === modifiedAt.toUTCString();

/** Whether the client's own copy is still good: by its tags, or else by its date (RFC 9110, 13.1). */
export function isFresh({ headers }: RouteRequest, { id, modifiedAt }: StoredBlob): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since, 'cache-control': control = '' } = headers;
  if (/(^|,)\s*no-cache\s*(,|$)/.test(control)) return false;
  if (tags !== undefined) return tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${id}"`);
  // Dates have whole seconds.
  return since !== undefined && Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(since);
}
