import path from 'node:path';
import { extension as extensionOf, lookup } from 'mime-types';
import type { UploadedFile } from './staging.js';
import type { ContentContext } from '../content/content-context.js';
import { notFoundError, validationError } from '../errors.js';
import { type ContentType, uploadFile } from '../schema/content-type.js';
import type { MediaSettings } from './storage/file-storage.js';

/** What a file is, and the extension that it is served with: `.png`, or nothing. */
export interface FileType {
  readonly mime: string;
  readonly ext: string;
  /** Whether the content bears the type out. */
  readonly certain: boolean;
}

/** What is inside of containers like these only their name tells. */
const containers: ReadonlySet<string> = new Set(['application/zip', 'application/x-cfb', 'application/xml', 'application/gzip']);

const unknownType = 'application/octet-stream';

/**
 * The type of a file. Content that is recognized wins over what the client says, and over the extension of the name; where it is
 * not, or is a container, the client's word holds as in Strapi v4.
 */
export async function decideType({ name, mime, head }: Pick<UploadedFile, 'name' | 'mime' | 'head'>): Promise<FileType> {
  const declared = cleanType(mime);
  const ext = cleanExtension(path.extname(name));
  const found = await detectType(head);
  if (found === null || agree(found.mime, declared))
    return { mime: declared, ext: ext || guessExtension(declared), certain: found !== null };
  const named = cleanType(lookup(ext) || '');
  if (agree(found.mime, named)) return { mime: containers.has(found.mime) ? named : found.mime, ext, certain: true };
  return found;
}

/** Parameters are cut off; what is no media type is bytes. */
function cleanType(mime: string): string {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type.length <= 100 && /^[a-z0-9.+_-]+\/[a-z0-9.+_-]+$/.test(type) ? type : unknownType;
}

/** An extension goes into URLs and headers. */
const cleanExtension = (ext: string): string => (/^\.[A-Za-z0-9_-]{1,20}$/.test(ext) ? ext : '');

const guessExtension = (mime: string): string => {
  const ext = mime === unknownType ? false : extensionOf(mime);
  return ext === false ? '' : `.${ext}`;
};

/** The type by the first bytes; null if they say nothing. Loaded with the first file: it takes 20 ms. */
async function detectType(head: Buffer): Promise<FileType | null> {
  if (isSvg(head)) return { mime: 'image/svg+xml', ext: '.svg', certain: true };
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined && isTiff(head)) return { mime: 'image/tiff', ext: '.tiff', certain: true };
  return found === undefined ? null : { mime: found.mime, ext: `.${found.ext}`, certain: true };
}

/** Its directory, which tells it from raw photos, mostly stands at the end. */
const isTiff = (head: Buffer): boolean => ['II*\0', 'MM\0*'].includes(head.toString('latin1', 0, 4));

/** What may stand in front of the root element, each taken whole, so that no text makes the search go back and forth. */
const prologue = /\uFEFF|\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\])?[^>]*>/iy;

function isSvg(head: Buffer): boolean {
  if (!head.includes('<svg')) return false;
  const text = head.toString('utf8');
  const skip = new RegExp(prologue);
  let start = 0;
  while (skip.test(text)) start = skip.lastIndex;
  return /^<svg[\s>]/i.test(text.slice(start, start + 5));
}

/** Sounds and films share containers and go by many names; images and documents are what they are. */
function agree(found: string, claimed: string): boolean {
  if (found === claimed) return true;
  if (containers.has(found)) return claimed.startsWith('application/') && claimed !== unknownType;
  return isPlayed(found) && isPlayed(claimed);
}

const isPlayed = (mime: string): boolean => /^(audio|video)\//.test(mime) || mime === 'application/ogg';

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
