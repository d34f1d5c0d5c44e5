import type { Context } from 'koa';
import type { ByteRange } from '../media/file-storage.js';
import type { StoredBlob } from '../mongo/blob-store.js';

/**
 * The part of a file that a GET asks for; null for all of it: without a range, with several or in another unit, or where If-Range
 * names another version (RFC 9110, 14).
 */
export function parseRange(ctx: Context, file: StoredBlob): ByteRange | 'unsatisfiable' | null {
  const found = ctx.method === 'GET' ? /^bytes=(\d{0,15})-(\d{0,15})$/.exec(ctx.get('Range').replaceAll(' ', '')) : null;
  if (found === null || !isCurrent(ctx.get('If-Range'), file)) return null;
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
const isCurrent = (ifRange: string, { id, modifiedAt }: StoredBlob): boolean =>
  ifRange === '' || ifRange === `"${id}"` || ifRange === modifiedAt.toUTCString();
