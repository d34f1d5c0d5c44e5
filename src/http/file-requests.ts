import { lookup } from 'mime-types';
import { validationError } from '../errors.js';
import { formatsByType, type ImageFormat, type ResizeOrder } from '../media/images/image-types.js';
import { isOtherSize } from '../media/resized-file.js';
import type { ByteRange, MediaSettings } from '../media/storage/file-storage.js';
import type { StoredBlob } from '../mongo/stores/blob-store.js';
import { printSize } from '../values.js';
import { parameterOf, type RouteRequest } from './route-request.js';

/**
 * Returns the range of a file that a GET requests; null for the whole file: if there is no range, several, or another unit, or if
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

/** Returns the range of the last bytes of a file. */
const suffix = (count: number, size: number): ByteRange | 'unsatisfiable' =>
  count === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(size - count, 0), end: size };

/** Returns whether If-Range names the current version. Only a strong tag or the exact date guarantees the same bytes. */
const isCurrent = (ifRange: string | string[] | undefined, { id, modifiedAt }: StoredBlob): boolean =>
  ifRange === undefined || ifRange === '' || ifRange === `"${id}"` || ifRange === modifiedAt.toUTCString();

/** Returns whether the client's cached copy is current, by its tags, or by its date if there are none (RFC 9110, 13.1). */
export function isFresh({ headers }: RouteRequest, { id, modifiedAt }: StoredBlob): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since, 'cache-control': control = '' } = headers;
  if (/(^|,)\s*no-cache\s*(,|$)/.test(control)) return false;
  if (tags !== undefined) return tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${id}"`);
  // HTTP dates have whole seconds
  return since !== undefined && Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(since);
}

/**
 * Returns the size and format that `?width=`, `?height=` and `?format=` request; null if none is given, or resizing is disabled.
 * Throws a ValidationError for values that the configuration does not list, for a width together with a height, for images that
 * are too large to resize, and for resized images. Each result is stored, so these rules limit the number of results.
 */
export function parseResize(
  request: RouteRequest,
  file: StoredBlob,
  { resize: rules, imageSizeLimit }: MediaSettings,
): ResizeOrder | null {
  if (!rules.enabled || request.query === '') return null;
  const [width, height, format] = ['width', 'height', 'format'].map((name) => parameterOf(request, name));
  if (width === undefined && height === undefined && format === undefined) return null;
  if (width !== undefined && height !== undefined)
    throw validationError('Invalid parameter height: width and height cannot be combined');
  if (isOtherSize(file)) throw validationError('Only the original can be resized, not another size of it');
  if (formatsByType[lookup(file.name) || ''] === undefined) throw validationError('Only images can be resized');
  if (file.size > imageSizeLimit) throw validationError(`Images of more than ${printSize(imageSizeLimit)} cannot be resized`);
  return {
    width: parseSide('width', width, rules.sizes),
    height: parseSide('height', height, rules.sizes),
    format: parseFormat(format, rules.formats),
  };
}

function parseSide(name: string, value: unknown, sizes: readonly number[]): number | null {
  if (value === undefined) return null;
  const side = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (!sizes.includes(side)) throw validationError(`Invalid parameter ${name}: expected one of ${sizes.join(', ')}`);
  return side;
}

function parseFormat(value: unknown, formats: readonly string[]): ImageFormat | null {
  if (value === undefined) return null;
  const known = Object.values(formatsByType).find((format) => format === value);
  if (known === undefined || !formats.includes(known))
    throw validationError(`Invalid parameter format: expected one of ${formats.join(', ')}`);
  return known;
}
