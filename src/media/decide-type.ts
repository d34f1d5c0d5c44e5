import path from 'node:path';
import { extension as extensionOf, lookup } from 'mime-types';
import type { UploadedFile } from './staging.js';
import { type ContentContext, ownType } from '#content/content-context.js';
import { validationError } from '#base/errors.js';
import { type ContentType, uploadFile } from '#model/schema/content-type.js';
import type { MediaSettings } from './storage/file-storage.js';

/** The media type of a file, and the extension that it is served with: `.png`, or an empty string. */
export interface FileType {
  readonly mime: string;
  readonly ext: string;
  /** Whether the content confirms the type. */
  readonly certain: boolean;
}

/** Container formats. Only the file name tells what they contain. */
const containers: ReadonlySet<string> = new Set(['application/zip', 'application/x-cfb', 'application/xml', 'application/gzip']);

const unknownType = 'application/octet-stream';

/**
 * Returns the type of a file. Recognized content takes precedence over the client's type and the extension. If the content is not
 * recognized, or is a container, the client's type is used, as in Strapi v4.
 */
export async function decideType({ name, mime, head }: Pick<UploadedFile, 'name' | 'mime' | 'head'>): Promise<FileType> {
  const declared = cleanType(mime);
  const ext = cleanExtension(path.extname(name));
  const fileType = await detectType(head);
  if (fileType === null || agree(fileType.mime, declared))
    return { mime: declared, ext: ext || guessExtension(declared), certain: fileType !== null };
  const named = cleanType(lookup(ext) || '');
  if (agree(fileType.mime, named)) return { mime: containers.has(fileType.mime) ? named : fileType.mime, ext, certain: true };
  return fileType;
}

/** Returns a media type without parameters; `application/octet-stream` for anything else. */
function cleanType(mime: string): string {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type.length <= 100 && /^[a-z0-9.+_-]+\/[a-z0-9.+_-]+$/.test(type) ? type : unknownType;
}

/** Returns an extension if it is safe in URLs and headers; otherwise an empty string. */
const cleanExtension = (ext: string): string => (/^\.[A-Za-z0-9_-]{1,20}$/.test(ext) ? ext : '');

const guessExtension = (mime: string): string => {
  const ext = mime === unknownType ? false : extensionOf(mime);
  return ext === false ? '' : `.${ext}`;
};

/**
 * Returns the type that the first bytes show; null if it is unknown. The library is loaded with the first file, because that
 * takes 20 ms.
 */
async function detectType(head: Buffer): Promise<FileType | null> {
  if (isSvg(head)) return { mime: 'image/svg+xml', ext: '.svg', certain: true };
  const { fileTypeFromBuffer } = await import('file-type');
  const fileType = await fileTypeFromBuffer(head).catch(() => undefined);
  if (fileType === undefined && isTiff(head)) return { mime: 'image/tiff', ext: '.tiff', certain: true };
  return fileType === undefined ? null : { mime: fileType.mime, ext: `.${fileType.ext}`, certain: true };
}

/**
 * Returns whether a file is a TIFF image. The library does not recognize most, because it looks for the directory, which
 * distinguishes TIFF from raw photos and is mostly at the end.
 */
const isTiff = (head: Buffer): boolean => ['II*\0', 'MM\0*'].includes(head.toString('latin1', 0, 4));

/** Matches a construct that may precede the root element. Each is matched as a whole, so that the search never backtracks. */
const prologue = /\uFEFF|\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\])?[^>]*>/iy;

function isSvg(head: Buffer): boolean {
  if (!head.includes('<svg')) return false;
  const text = head.toString('utf8');
  const skip = new RegExp(prologue);
  let start = 0;
  while (skip.test(text)) start = skip.lastIndex;
  return /^<svg[\s>]/i.test(text.slice(start, start + 5));
}

/**
 * Returns whether the type found in the content is compatible with the claimed one. Audio and video share containers and have
 * several media types, so their types need not be equal.
 */
function agree(found: string, claimed: string): boolean {
  if (found === claimed) return true;
  if (containers.has(found)) return claimed.startsWith('application/') && claimed !== unknownType;
  return isPlayed(found) && isPlayed(claimed);
}

const isPlayed = (mime: string): boolean => /^(audio|video)\//.test(mime) || mime === 'application/ogg';

/**
 * Throws a ValidationError if the configuration does not allow the type of a file, or the type that its extension is served as.
 */
export function checkType({ mime, ext }: FileType, settings: MediaSettings): void {
  const refused = [mime, lookup(ext) || mime].find((type) => !isLetIn(type, settings));
  if (refused !== undefined) throw validationError(`Files of type ${refused} are not allowed`);
}

function isLetIn(type: string, { allowedTypes, deniedTypes }: MediaSettings): boolean {
  const isAllowed = allowedTypes.length === 0 || allowedTypes.some((pattern) => matches(type, pattern));
  return isAllowed && !deniedTypes.some((pattern) => matches(type, pattern));
}

/** Returns whether a type matches a pattern: `image/*` matches all types that begin with `image/`, `*` all types. */
const matches = (mime: string, pattern: string): boolean =>
  pattern === '*' || pattern === '*/*' || pattern === mime || (pattern.endsWith('/*') && mime.startsWith(pattern.slice(0, -1)));

/** Returns the content type of files. Throws a NotFoundError if there is none. */
export const fileType = (content: ContentContext): ContentType => ownType(content, uploadFile);
