import { validationError } from '../errors.js';
import { someBlobExists } from '../mongo/stores/blob-store.js';
import { isRecord, type Values } from '../values.js';
import type { ImageSize } from './images/image-types.js';
import type { Media } from './media.js';
import { storageProviders } from './storage/storage-of.js';

/** A smaller variant of an image, as `formats` lists it. */
export interface FileFormat extends ImageSize, FilePlace {
  readonly name: string;
  readonly mime: string;
  readonly path: null;
  /** thousands of bytes */
  readonly size: number;
  readonly sizeInBytes: number;
  readonly url: string;
}

/** The attributes of a file that follow from its bytes and its name. */
export interface FileValues extends FilePlace {
  readonly name: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: Readonly<Record<string, FileFormat>> | null;
  readonly mime: string;
  /** thousands of bytes */
  readonly size: number;
  readonly url: string;
  readonly previewUrl: null;
  readonly provider: string;
  readonly provider_metadata: null;
}

/** The address of a file: `/uploads/<hash><ext>`. */
export interface FilePlace {
  readonly hash: string;
  readonly ext: string;
}

/** A file or a variant that was stored. */
interface StoredFile {
  readonly name: string;
  readonly mime: string;
  readonly place: FilePlace;
  /** bytes */
  readonly bytes: number;
  readonly size: ImageSize | null;
}

export const nameOf = ({ hash, ext }: FilePlace): string => `${hash}${ext}`;

/** The attributes of a file, as they are stored and answered. */
export function fileValues(file: StoredFile, formats: ReadonlyMap<string, FileFormat>, media: Media): FileValues {
  const { name, mime, place, bytes, size } = file;
  return {
    name,
    width: size?.width ?? null,
    height: size?.height ?? null,
    formats: formats.size === 0 ? null : Object.fromEntries(formats),
    hash: place.hash,
    ext: place.ext,
    mime,
    size: kilobytes(bytes),
    previewUrl: null,
    ...storedAt(place, media),
  };
}

/** An item of `formats`. */
export function formatValues({ name, mime, place, bytes, size }: StoredFile, media: Media): FileFormat {
  const { width, height } = size ?? { width: 0, height: 0 };
  const figures = { path: null, width, height, size: kilobytes(bytes), sizeInBytes: bytes };
  return { name, hash: place.hash, ext: place.ext, mime, ...figures, url: urlOf(place, media) };
}

/** Converts bytes to the unit of the API: thousands, rounded to hundredths. */
const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

/** The attributes with the location of a file. */
export const storedAt = (place: FilePlace, media: Media) => ({
  url: urlOf(place, media),
  provider: storageProviders[media.settings.provider].answeredAs,
  provider_metadata: null,
});

/** Without a base URL relative to the service, as in Strapi v4. */
export const urlOf = (place: FilePlace, { settings }: Media): string =>
  `${settings.baseUrl?.replace(/\/+$/, '') ?? ''}/uploads/${nameOf(place)}`;

/** The names under which a file and its variants are served. */
export const namesOf = (file: Values): string[] =>
  [file, ...variantsOf(file)].map(({ hash, ext }) => `${String(hash)}${typeof ext === 'string' ? ext : ''}`);

const variantsOf = ({ formats }: Values): Values[] => (isRecord(formats) ? Object.values(formats).filter(isRecord) : []);

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

/** Variants that the entry of an external file may list. */
const mostVariants = 100;

/** Addresses of external files: of the web, or of this host. Those of scripts would run in the pages that show them. */
const webAddress = /^(https?:\/\/|\/(?!\/))/i;

/**
 * Throws a ValidationError if the entry of an external file refers to the bytes of another file, lists too many variants, or has an
 * address that is not of the web.
 */
export async function checkNewRow(data: Values, { database }: Media): Promise<void> {
  const names = namesOf(data);
  if (names.length > mostVariants + 1) throw validationError(`formats lists more than ${String(mostVariants)} variants`);
  const addresses = [data, ...variantsOf(data)].flatMap(({ url, previewUrl }) => [url, previewUrl]);
  const strange = addresses.find((address) => typeof address === 'string' && address !== '' && !webAddress.test(address));
  if (strange !== undefined) throw validationError('url must begin with https://, http:// or /');
  if (await someBlobExists(database, names)) throw validationError('hash is that of another file');
}
