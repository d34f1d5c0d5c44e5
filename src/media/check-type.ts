import { validationError } from '../errors.js';
import type { MediaSettings } from './media-settings.js';

/** Throws a ValidationError for a media type that the configuration does not let in. */
export function checkType(mime: string, { allowedTypes, deniedTypes }: MediaSettings): void {
  const allowed = allowedTypes.length === 0 || allowedTypes.some((pattern) => matches(mime, pattern));
  if (!allowed || deniedTypes.some((pattern) => matches(mime, pattern)))
    throw validationError(`Files of type ${mime} are not allowed`);
}

/** `image/*` stands for all types that begin so, `*` for all. */
const matches = (mime: string, pattern: string): boolean =>
  pattern === '*' || pattern === '*/*' || pattern === mime || (pattern.endsWith('/*') && mime.startsWith(pattern.slice(0, -1)));
