import type { BlobName } from '#store/stores/blob-store.js';
import { checkType, decideType, type FileType } from './decide-type.js';
import { cleanName, cleanTitle, hashName } from './clean-name.js';
import { fileValues, formatValues, nameOf, type FileFormat, type FilePlace } from './file-values.js';
import { hostFile, type PreparedFile } from './host-file.js';
import { formatsByType, type ImageSet, type MadeImage } from './images/image-types.js';
import { imageWithoutVariants } from './images/transform-image.js';
import type { Media } from './media.js';
import type { FileInfo } from './parse-file-info.js';
import type { Staging, UploadedFile } from './staging.js';

interface PrepareContext {
  readonly media: Media;
  readonly staging: Staging;
  /** The place of a file to replace; a new place if absent. */
  readonly place?: FilePlace;
}

/**
 * Determines the type of a file, and stages its variants. Throws an ApplicationError if the name or the image is invalid, a
 * ValidationError if the type is not allowed.
 */
export function prepareFile(file: UploadedFile, info: FileInfo, context: PrepareContext): Promise<PreparedFile> {
  context.staging.check(file);
  return context.staging.once(JSON.stringify([file.id, info, context.place]), () => prepareOnce(file, info, context));
}

async function prepareOnce(file: UploadedFile, info: FileInfo, context: PrepareContext): Promise<PreparedFile> {
  const { media, staging } = context;
  const sentName = cleanName(file.name);
  const name = cleanTitle(info.name ?? '') ?? sentName;
  const type = await decideType({ ...file, name: sentName });
  checkType(type, media.settings);
  const place = context.place ?? { hash: await hashName(name, type.ext), ext: type.ext };
  const images = await makeImages(file, type, context);
  const original = images?.original ?? null;
  const stored = original === null ? file : await staging.stage([original.bytes], { name, mime: type.mime });
  const about = { name, mime: type.mime, place };
  const variants = await stageVariants(images?.variants ?? new Map<string, MadeImage>(), about, context);
  const values = fileValues({ ...about, bytes: stored.size, size: original ?? images?.size ?? null }, variants.formats, media);
  const blobs = [{ id: stored.id, name: nameOf(place), size: stored.size }, ...variants.blobs];
  const prepared = { values, blobs, staged: blobs.map(({ id }) => id) };
  const { host } = media;
  return host === null ? prepared : hostFile(prepared, info, { host, staging, isReplacement: context.place !== undefined });
}

/** Types of images that are measured but not resized. */
const measured: ReadonlySet<string> = new Set(['image/svg+xml', 'image/heic', 'image/heif', 'image/bmp', 'image/x-icon']);

/** Number of bytes that are read to measure an image that is not drawn. The size is near the beginning. */
const measuredBytes = 262_144;

async function makeImages(file: UploadedFile, { mime, certain }: FileType, context: PrepareContext): Promise<ImageSet | null> {
  const { staging, media } = context;
  const drawn = formatsByType[mime] !== undefined;
  if (!certain || (!drawn && !measured.has(mime))) return null;
  if (drawn && file.size <= media.settings.imageSizeLimit)
    return media.images.makeSet(() => staging.read(file, file.size), mime, await media.imageChoices());
  return imageWithoutVariants(await staging.read(file, Math.min(file.size, measuredBytes)));
}

interface Named {
  readonly name: string;
  readonly mime: string;
  readonly place: FilePlace;
}

/** Stages the variants of an image. Their names are the image's name, prefixed with the name of the variant. */
async function stageVariants(images: ReadonlyMap<string, MadeImage>, { name, mime, place }: Named, context: PrepareContext) {
  const formats = new Map<string, FileFormat>();
  const blobs: BlobName[] = [];
  for (const [variant, image] of images) {
    const { id, size: bytes } = await context.staging.stage([image.bytes], { name, mime });
    const own = { name: `${variant}_${name}`, mime, place: { hash: `${variant}_${place.hash}`, ext: place.ext } };
    formats.set(variant, formatValues({ ...own, bytes, size: image }, context.media));
    blobs.push({ id, name: nameOf(own.place), size: bytes, variantOf: nameOf(place) });
  }
  return { formats, blobs };
}
