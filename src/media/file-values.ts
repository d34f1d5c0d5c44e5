import { validationError } from '#base/errors.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { isRecord, type Values } from '#base/values.js';
import type { ImageSize } from './images/image-types.js';
import type { Media } from './media.js';
import { storageProviders } from './storage/storage-of.js';

/** A smaller variant of an image, as listed in `formats`. */
export interface FileFormat extends ImageSize, FilePlace {
  readonly name: string;
  readonly mime: string;
  readonly path: null;
  /** thousands of bytes */
  readonly size: number;
  readonly sizeInBytes: number;
  readonly url: string;
}

/** The attributes of a file that are determined by its bytes and its name. */
export interface FileValues extends FilePlace {
  readonly name: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: Readonly<Record<string, FileFormat>> | null;
  readonly mime: string;
  /** thousands of bytes */
  readonly size: number;
  readonly url: string;
  readonly previewUrl: string | null;
  readonly provider: string;
  /** What an upload provider needs to find the file. */
  readonly provider_metadata: Values | null;
}

/** The parts of a file's path, `/uploads/<hash><ext>`. */
export interface FilePlace {
  readonly hash: string;
  readonly ext: string;
}

/** A stored file or variant. */
interface StoredFile {
  readonly name: string;
  readonly mime: string;
  readonly place: FilePlace;
  /** Size in bytes. */
  readonly bytes: number;
  readonly size: ImageSize | null;
}

export const nameOf = ({ hash, ext }: FilePlace): string => `${hash}${ext}`;

/** Returns the attributes of a file, as they are stored and answered. */
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

/** Returns an item of `formats`. */
export function formatValues({ name, mime, place, bytes, size }: StoredFile, media: Media): FileFormat {
  const { width, height } = size ?? { width: 0, height: 0 };
  const figures = { path: null, width, height, size: kilobytes(bytes), sizeInBytes: bytes };
  return { name, hash: place.hash, ext: place.ext, mime, ...figures, url: urlOf(place, media) };
}

/** Converts bytes to the unit of the API: thousands of bytes, rounded to hundredths. */
const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;

/** Returns the attributes that tell where a file is stored. */
export const storedAt = (place: FilePlace, media: Media) => ({
  url: urlOf(place, media),
  provider: storageProviders[media.settings.provider].answeredAs,
  provider_metadata: null,
});

/** Returns the URL of a file. Without a configured base URL it is relative to the service, as in Strapi v4. */
export const urlOf = (place: FilePlace, { settings }: Media): string =>
  `${settings.baseUrl?.replace(/\/+$/, '') ?? ''}/uploads/${nameOf(place)}`;

/** Returns the names under which a file and its variants are served. */
export const namesOf = (file: Values): string[] =>
  placesOf(file).map(({ hash, ext }) => `${String(hash)}${typeof ext === 'string' ? ext : ''}`);

/** Returns the values of a file and of its variants. */
export const placesOf = (file: Values): Values[] => [file, ...variantsOf(file).map(([, values]) => values)];

/** Returns the variants of a file with the names of their formats. */
export const variantsOf = ({ formats }: Values): (readonly [format: string, values: Values])[] =>
  isRecord(formats) ? Object.entries(formats).filter((entry): entry is [string, Values] => isRecord(entry[1])) : [];

/** Attributes that are determined by the bytes of a file. The name is not among them. */
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

/** Throws a ValidationError if the values contain attributes that are determined by the bytes of the file. */
export function checkRowChange(data: Values): void {
  const name = Object.keys(data).find((key) => Object.hasOwn(fixed, key));
  if (name !== undefined) throw validationError(`${name} follows from the content of the file and cannot be changed`);
}

/** Maximum number of variants in the entry of an external file. */
const mostVariants = 100;

/**
 * Matches the URLs that external files may have: web addresses and paths on this host. A `javascript:` URL would run in the pages
 * that show it.
 */
const webAddress = /^(https?:\/\/|\/(?!\/))/i;

/**
 * Throws a ValidationError if the entry of an external file refers to the bytes of another file, lists too many variants, or has
 * a URL that is neither a web address nor a path.
 */
export async function checkNewRow(data: Values, { database }: Media): Promise<void> {
  const names = namesOf(data);
  if (names.length > mostVariants + 1) throw validationError(`formats lists more than ${String(mostVariants)} variants`);
  const addresses = placesOf(data).flatMap(({ url, previewUrl }) => [url, previewUrl]);
  const strange = addresses.find((address) => typeof address === 'string' && address !== '' && !webAddress.test(address));
  if (strange !== undefined) throw validationError('url must begin with https://, http:// or /');
  if (await blobRecords.exists(database, names)) throw validationError('hash is that of another file');
}
