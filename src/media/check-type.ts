import { lookup } from 'mime-types';
import type { ContentContext } from '../content/content-context.js';
import { notFoundError, validationError } from '../errors.js';
import { type ContentType, uploadFile } from '../schema/content-type.js';
import type { FileType } from './decide-type.js';
import type { MediaSettings } from './storage/file-storage.js';

/**
 * Throws a ValidationError for a file that the configuration does not let in: by its type, or by that of its extension, which it
 * would be served as.
 */
export function checkType({ mime, ext }: FileType, settings: MediaSettings): void {
  const refused = [mime, lookup(ext) || mime].find((type) => !isLetIn(type, settings));
  if (refused !== undefined) throw validationError(`Files of type ${refused} are not allowed`);
}

function isLetIn(type: string, { allowedTypes, deniedTypes }: MediaSettings): boolean {
  const isAllowed = allowedTypes.length === 0 || allowedTypes.some((pattern) => matches(type, pattern));
  return isAllowed && !deniedTypes.some((pattern) => matches(type, pattern));
}

/** `image/*` stands for all types that begin so, `*` for all. */
const matches = (mime: string, pattern: string): boolean =>
  pattern === '*' || pattern === '*/*' || pattern === mime || (pattern.endsWith('/*') && mime.startsWith(pattern.slice(0, -1)));

/** The content type of files. Throws a NotFoundError if the service has none. */
export function fileType({ bind }: ContentContext): ContentType {
  const type = bind.registry.types.get(uploadFile);
  if (type === undefined) throw notFoundError();
  return type;
}
