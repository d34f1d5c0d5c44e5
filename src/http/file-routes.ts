import { Readable } from 'node:stream';
import { lookup } from 'mime-types';
import { notFoundError } from '../errors.js';
import type { ByteRange } from '../media/storage/file-storage.js';
import { findStored, type Media, readStored } from '../media/media.js';
import { resizedFile } from '../media/resized-file.js';
import type { StoredBlob } from '../mongo/stores/blob-store.js';
import { isFresh, parseRange, parseResize } from './file-requests.js';
import { whole } from './json-schema.js';
import { parameter, type Content, type Operation } from './operation.js';
import type { RouteRequest } from './route-request.js';
import type { Answer, OpenRoute } from './route.js';
import { mediaOf, notRunning } from './running.js';

const bytes: Content = { '*/*': { type: 'string', format: 'binary' } };

const readFile: Operation = {
  id: 'readFile',
  summary: 'Read the content of a file; images also in other sizes',
  tag: 'Files',
  query: [
    parameter('width', 'Width of an image in pixels', whole),
    parameter('height', 'Height of an image in pixels', whole),
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
    if ((await findStored(file.name, media))?.id === file.id) throw error;
    return answerFile(request, media);
  }
}

const contentRange = ({ start, end }: ByteRange, { size }: StoredBlob) => ({
  'Content-Range': `bytes ${String(start)}-${String(end - 1)}/${String(size)}`,
});

async function findFile(request: RouteRequest, media: Media): Promise<StoredBlob> {
  const file = await findStored(request.params['name'] ?? '', media);
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
 * Returns the headers of a file. Its type follows from its name, which the service has generated. Names contain a hash, so cached
 * files stay valid unless their content is replaced.
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
    'Cache-Control': `public, max-age=${String(maxAge)}`,
  };
}

/** Maximum number of bytes of a file that is sent in one piece, which takes half the CPU of a stream. */
const inOnePiece = 1_048_576;

async function readPart(file: StoredBlob, part: ByteRange, media: Media): Promise<Buffer | Readable> {
  const source = readStored(file, part, media);
  if (part.end - part.start > inOnePiece)
    return source instanceof Readable ? source : Readable.from(source, { objectMode: false });
  const pieces: Uint8Array[] = [];
  for await (const bytes of source) pieces.push(bytes);
  return pieces.length === 1 && pieces[0]
    ? Buffer.from(pieces[0].buffer, pieces[0].byteOffset, pieces[0].length)
    : Buffer.concat(pieces);
}
