import type { ContentContext } from '../content/content-context.js';
import { notFoundError } from '../errors.js';
import { uploadFile, type ContentType } from '../schema/content-type.js';

/** The content type of files. Throws a NotFoundError where the service has none. */
export function fileType({ bind }: ContentContext): ContentType {
  const type = bind.registry.types.get(uploadFile);
  if (type === undefined) throw notFoundError();
  return type;
}
