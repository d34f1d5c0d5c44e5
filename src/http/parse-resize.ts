import { lookup } from 'mime-types';
import { validationError } from '../errors.js';
import { formatsByType, type ImageFormat, type ResizeOrder } from '../media/images/image-types.js';
import type { MediaSettings } from '../media/storage/file-storage.js';
import { printSize } from '../values.js';
import type { StoredBlob } from '../mongo/stores/blob-store.js';
import { parameterOf, type RouteRequest } from './route-request.js';

/**
 * The size and format that `?width=`, `?height=` and `?format=` ask for; null if none is named, or nothing is resized. Throws a
 * ValidationError for what the configuration does not list, and for both a width and a height: each size is drawn once and kept, so
 * they must be few; and for images that are too large to be drawn.
 */
export function parseResize(
  request: RouteRequest,
  file: StoredBlob,
  { resize: rules, imageSizeLimit }: MediaSettings,
): ResizeOrder | null {
  if (!rules.enabled || request.querystring === '') return null;
  const [width, height, format] = ['width', 'height', 'format'].map((name) => parameterOf(request, name));
  if (width === undefined && height === undefined && format === undefined) return null;
  if (width !== undefined && height !== undefined) throw validationError('Invalid parameter height: width says the size already');
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
