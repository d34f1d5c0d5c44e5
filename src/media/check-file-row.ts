import { validationError } from '../errors.js';
import { findBlob } from '../mongo/stores/blob-store.js';
import type { Values } from '../values.js';
import type { FileValues } from './file-values.js';
import type { Media } from './media.js';
import { namesOf } from './retire-file.js';

/** Attributes that follow from the bytes of a file. Its name may be changed. */
const fixed: Readonly<Record<Exclude<keyof FileValues, 'name'>, true>> = {
  width: true,
  height: true,
  formats: true,
  hash: true,
  ext: true,
  mime: true,
  size: true,
  url: true,
  previewUrl: true,
  provider: true,
  provider_metadata: true,
};

/** Throws a ValidationError for values that would separate a file from its bytes. */
export function checkRowChange(data: Values): void {
  const name = Object.keys(data).find((key) => Object.hasOwn(fixed, key));
  if (name !== undefined) throw validationError(`${name} follows from the content of the file and cannot be changed`);
}

/** Throws a ValidationError if the entry of an external file refers to the bytes of another file. */
export async function checkNewRow(data: Values, { database }: Media): Promise<void> {
  const found = await Promise.all(namesOf(data).map((name) => findBlob(database, name)));
  if (found.some((blob) => blob !== null)) throw validationError('hash is that of another file');
}
