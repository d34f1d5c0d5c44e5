import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { lookup } from 'mime-types';
import { notFoundError } from '../errors.js';
import { findStored, readStored } from '../media/find-stored.js';
import type { Media } from '../media/media.js';
import { resizedFile } from '../media/resized-file.js';
import type { StoredBlob } from '../mongo/blob-store.js';
import { answerMethod } from './answer-method.js';
import { parseRange } from './parse-range.js';
import { parseResize } from './parse-resize.js';
import { mediaOf, type Connection } from './running.js';

const prefix = '/uploads/';

/**
 * `/uploads/<name>`: stored files, for everybody, with ranges and validators. Images may be asked for in other sizes.
 * Throws 503 until the database has answered.
 */
export function serveFiles(connection: Connection): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix)) return next();
    if (ctx.method === 'GET' || ctx.method === 'HEAD') await sendFile(ctx, mediaOf(connection.require()));
    else answerMethod(ctx, ['HEAD', 'GET']);
  };
}

async function sendFile(ctx: Context, media: Media): Promise<void> {
  const file = await findFile(ctx, media);
  describe(ctx, file, media.settings.maxAge);
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const range = parseRange(ctx, file);
  if (range === 'unsatisfiable') {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${String(file.size)}`);
    ctx.body = '';
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size };
  if (range !== null) ctx.set('Content-Range', `bytes ${String(start)}-${String(end - 1)}/${String(file.size)}`);
  if (range !== null) ctx.status = 206;
  ctx.length = end - start;
  if (ctx.method === 'GET') {
    try {
      ctx.body = await bodyOf(ctx, file, { start, end }, media);
    } catch (error) {
      return sendNewest(ctx, media, { file, error });
    }
  }
  ctx.length = end - start;
}

/** Of a file that was deleted or replaced while it was read, what there is now. Other errors are thrown; no cache may keep them. */
async function sendNewest(ctx: Context, media: Media, { file, error }: { file: StoredBlob; error: unknown }): Promise<void> {
  for (const name of described) ctx.remove(name);
  if ((await findStored(file.name, media))?.id === file.id) throw error;
  await sendFile(ctx, media);
}

async function findFile(ctx: Context, media: Media): Promise<StoredBlob> {
  const file = await findStored(decodeURIComponent(ctx.path.slice(prefix.length)), media);
  if (file === null) throw notFoundError();
  const order = parseResize(ctx, file, media.settings);
  return order === null ? file : resizedFile(file, order, { media, asker: { address: ctx.ip, signal: endOf(ctx) } });
}

/** Aborted when the connection of a request is closed. */
function endOf({ res }: Context): AbortSignal {
  const ended = new AbortController();
  res.once('close', () => {
    ended.abort();
  });
  return ended.signal;
}

/** Shown where browsers do nothing with them but show; all else is saved. */
const shown =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|heic|heif|x-icon|vnd\.microsoft\.icon|svg\+xml)|audio\/.+|video\/.+|application\/pdf)$/;

/** Nothing in a file runs here, whatever it is; SVG is a document and gets a world of its own. */
const policies = {
  document: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
  media:
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; object-src 'self'; base-uri 'none'",
};

/** What would be wrong of an error. */
const described = ['Content-Disposition', 'Accept-Ranges', 'ETag', 'Last-Modified', 'Cache-Control', 'Content-Range'] as const;

/**
 * The type is that of the name, which the service has made; names carry a hash, so what is cached stays right, unless the content of
 * a file is replaced at its address.
 */
function describe(ctx: Context, { id, name, modifiedAt }: StoredBlob, maxAge: number): void {
  const type = lookup(name) || 'application/octet-stream';
  const isShown = shown.test(type);
  ctx.status = 200;
  ctx.compress = false;
  ctx.set('Content-Type', type.startsWith('text/') ? `${type}; charset=utf-8` : type);
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Disposition', isShown ? 'inline' : 'attachment');
  ctx.set('Content-Security-Policy', isShown && type !== 'image/svg+xml' ? policies.media : policies.document);
  ctx.set('Accept-Ranges', 'bytes');
  ctx.set('ETag', `"${id}"`);
  ctx.set('Last-Modified', modifiedAt.toUTCString());
  ctx.set('Cache-Control', `public, max-age=${String(maxAge)}`);
}

/** Up to this size a file is sent in one piece, which takes half the work of a stream. */
const inOnePiece = 1_048_576;

async function bodyOf(
  ctx: Context,
  file: StoredBlob,
  range: { start: number; end: number },
  media: Media,
): Promise<Buffer | Readable> {
  const source = readStored(file, range, media);
  if (range.end - range.start <= inOnePiece) {
    const pieces: Uint8Array[] = [];
    for await (const bytes of source) pieces.push(bytes);
    return pieces.length === 1 && pieces[0]
      ? Buffer.from(pieces[0].buffer, pieces[0].byteOffset, pieces[0].length)
      : Buffer.concat(pieces);
  }
  const body = source instanceof Readable ? source : Readable.from(source, { objectMode: false });
  // The length is promised: a client must not take what has come for all.
  return body.once('error', () => ctx.res.destroy());
}
