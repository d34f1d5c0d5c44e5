import { Readable } from 'node:stream';
import { lookup } from 'mime-types';
import { notFoundError, validationError } from '#base/errors.js';
import { formatsByType, type ImageFormat, type ResizeOrder } from '#media/images/image-types.js';
import { findStoredFile, type Media, readStoredRange } from '#media/media.js';
import { isOtherSize, resizedFile } from '#media/resized-file.js';
import { type ByteRange, joinBytes, type MediaSettings } from '#media/storage/file-storage.js';
import type { StoredBlob } from '#store/stores/blob-store.js';
import { printSize } from '#base/values.js';
import { integer } from './json-schema.js';
import { parameter, type Content, type Operation } from './operation.js';
import { parameterOf, type RouteRequest } from './route-request.js';
import type { Answer, OpenRoute } from './route.js';
import { mediaOf, notRunning } from './running.js';

const bytes: Content = { '*/*': { type: 'string', format: 'binary' } };

const readFile: Operation = {
  id: 'readFile',
  summary: 'Read the content of a file; images also in other sizes',
  tag: 'Files',
  query: [
    parameter('width', 'Width of an image in pixels', integer),
    parameter('height', 'Height of an image in pixels', integer),
    parameter('format', 'Format of an image'),
  ],
  answers: { 200: { description: 'The file', content: bytes }, 206: { description: 'A part of the file', content: bytes } },
};

/** The public route `/uploads/<name>` of stored files, with ranges and validators. Images can be resized. */
export const fileRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/uploads/{*name}',
    action: null,
    settings: { isUncompressed: true },
    operation: readFile,
    handle: ({ request, connection }) => answerFile(request, mediaOf(connection.running ?? notRunning(), request)),
  },
];

async function answerFile(request: RouteRequest, media: Media): Promise<Answer> {
  const file = await findFile(request, media);
  const headers = headersOf(file, media.settings.maxAge);
  if (isFresh(request, file)) return { status: 304, headers };
  const range = parseRange(request, file);
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${String(file.size)}` }, body: '' };
  const part = range ?? { start: 0, end: file.size };
  const answer = {
    status: range === null ? 200 : 206,
    headers: { ...headers, ...(range !== null && contentRange(part, file)), 'Content-Length': String(part.end - part.start) },
  };
  if (request.method === 'HEAD') return answer;
  try {
    return { ...answer, body: await readPart(file, part, media) };
  } catch (error) {
    // If the file was deleted or replaced meanwhile, it is looked up again. Other errors must not be cached.
    if ((await findStoredFile(file.name, media))?.id === file.id) throw error;
    return answerFile(request, media);
  }
}

const contentRange = ({ start, end }: ByteRange, { size }: StoredBlob) => ({
  'Content-Range': `bytes ${String(start)}-${String(end - 1)}/${String(size)}`,
});

async function findFile(request: RouteRequest, media: Media): Promise<StoredBlob> {
  const file = await findStoredFile(request.params['name'] ?? '', media);
  if (file === null) throw notFoundError();
  const order = parseResize(request, file, media.settings);
  if (order === null) return file;
  return resizedFile(file, order, { media, sender: request.sender });
}

/** Types that browsers display without running scripts. Other files are downloaded. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|heic|heif|x-icon|vnd\.microsoft\.icon|svg\+xml)|audio\/.+|video\/.+|application\/pdf)$/;

/** Content security policies. Scripts in files never run, and SVG is sandboxed. */
const policies = {
  document: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
  media:
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; object-src 'self'; base-uri 'none'",
};

/**
 * Returns the headers of a file. Its type follows from its name, which the service has generated. A replaced file keeps its address, so
 * clients ask by its tag whether they have the current one, unless the configuration gives them a time.
 */
function headersOf({ id, name, modifiedAt }: StoredBlob, maxAge: number): Record<string, string> {
  const type = lookup(name) || 'application/octet-stream';
  const isShown = shown.test(type);
  return {
    'Content-Type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': isShown ? 'inline' : 'attachment',
    'Content-Security-Policy': isShown && type !== 'image/svg+xml' ? policies.media : policies.document,
    'Accept-Ranges': 'bytes',
    ETag: `"${id}"`,
    'Last-Modified': modifiedAt.toUTCString(),
    'Cache-Control': maxAge === 0 ? 'public, no-cache' : `public, max-age=${String(maxAge)}`,
  };
}

/** Maximum number of bytes of a file that is sent in one piece, which takes half the CPU of a stream. */
const inOnePiece = 1_048_576;

async function readPart(file: StoredBlob, part: ByteRange, media: Media): Promise<Buffer | Readable> {
  const source = readStoredRange(file, part, media);
  if (part.end - part.start > inOnePiece)
    return source instanceof Readable ? source : Readable.from(source, { objectMode: false });
  return joinBytes(source);
}

/**
 * Returns the range of a file that a GET requests; null for the whole file: if there is no range, several, or another unit, or if
 * If-Range names another version (RFC 9110, 14).
 */
export function parseRange({ method, headers }: RouteRequest, file: StoredBlob): ByteRange | 'unsatisfiable' | null {
  const match = method === 'GET' ? /^bytes=(\d{0,15})-(\d{0,15})$/.exec((headers.range ?? '').replaceAll(' ', '')) : null;
  if (match === null || !isCurrent(headers['if-range'], file)) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : suffix(Number(last), file.size);
  const start = Number(first);
  const end = last === '' ? file.size : Math.min(Number(last) + 1, file.size);
  if (last !== '' && Number(last) < start) return null;
  return start >= file.size ? 'unsatisfiable' : { start, end };
}

/** Returns the range of the last bytes of a file. */
const suffix = (count: number, size: number): ByteRange | 'unsatisfiable' =>
  count === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(size - count, 0), end: size };

/** Returns whether If-Range names the current version. Only a strong tag or the exact date guarantees the same bytes. */
const isCurrent = (ifRange: string | string[] | undefined, { id, modifiedAt }: StoredBlob): boolean =>
  ifRange === undefined || ifRange === '' || ifRange === `"${id}"` || ifRange === modifiedAt.toUTCString();

/** Returns whether the client's cached copy is current, by its tags, or by its date if there are none (RFC 9110, 13.1). */
export function isFresh({ headers }: RouteRequest, { id, modifiedAt }: StoredBlob): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since, 'cache-control': control = '' } = headers;
  if (/(^|,)\s*no-cache\s*(,|$)/.test(control)) return false;
  if (tags !== undefined) return tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${id}"`);
  // HTTP dates have whole seconds
  return since !== undefined && Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(since);
}

/**
 * Returns the size and format that `?width=`, `?height=` and `?format=` request; null if none is given, or resizing is disabled.
 * Throws a ValidationError for values that the configuration does not list, for a width together with a height, for images that
 * are too large to resize, and for resized images. Each result is stored, so these rules limit the number of results.
 */
export function parseResize(
  request: RouteRequest,
  file: StoredBlob,
  { resize: rules, imageSizeLimit }: MediaSettings,
): ResizeOrder | null {
  if (!rules.enabled || request.query === '') return null;
  const [width, height, format] = ['width', 'height', 'format'].map((name) => parameterOf(request, name));
  if (width === undefined && height === undefined && format === undefined) return null;
  if (width !== undefined && height !== undefined)
    throw validationError('Invalid parameter height: width and height cannot be combined');
  if (isOtherSize(file)) throw validationError('Only the original can be resized, not another size of it');
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
  const imageFormat = Object.values(formatsByType).find((format) => format === value);
  if (imageFormat === undefined || !formats.includes(imageFormat))
    throw validationError(`Invalid parameter format: expected one of ${formats.join(', ')}`);
  return imageFormat;
}
