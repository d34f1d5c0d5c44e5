import { hash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { entryTag } from '#base/errors.js';
import { cacheTags } from './cache-tags.js';
import { type CacheableRead, setCacheStatus } from './answer-cache.js';
import type { Answer } from './route.js';
import { isAmong, readTags, type Tags } from './preconditions.js';

const tagging = Symbol('tagging');

/** Koa's context of an answer that gets a tag. */
interface TaggedContext extends Context {
  [tagging]?: Tagging;
}

/** How an answer is tagged. */
interface Tagging {
  /** `Cache-Control` for callers without credentials; that of the configuration unless given. */
  readonly cacheControl: string | undefined;
  /** The tags of If-None-Match; null if there is none, or the request writes. */
  readonly requestTags: Tags | null;
  /** The read; null if the request writes, or project code takes part. */
  readonly read: CacheableRead | null;
  /** The versions of the entries that are answered. */
  readonly versions: Set<string>;
  /** The tag, if nothing has to be read. */
  readonly knownTag: string | null;
  /** The headers of the answer itself. */
  headers: Answer['headers'];
}

export const isRead = ({ method }: Pick<Context, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** `Cache-Control` for callers with credentials. */
const forCaller = 'private, no-cache';

/**
 * Lets the answer to a request get a tag. Returns the answer if nothing has to be read: a 304 if the client has it already, or one that
 * is kept; otherwise null. A malformed If-None-Match is ignored, because it only costs the client an answer.
 */
export function beginTag(ctx: TaggedContext, read: CacheableRead | null, cacheControl?: string): Answer | null {
  const reads = isRead(ctx);
  const { authorization, 'if-none-match': header } = ctx.req.headers;
  const requestTags = reads && header !== undefined ? readTags(header) : null;
  const cached = read && reads && (requestTags !== null || read.answers.keepsBytes) ? read.answers.find(ctx, read) : null;
  const has = cached !== null && cached.tag !== null && requestTags !== null && isAmong(cached.tag, requestTags);
  const body = cached === null || has ? null : (read?.answers.bodyOf(cached, read) ?? null);
  const known = has || body !== null ? (cached?.tag ?? null) : null;
  ctx[tagging] = { cacheControl, requestTags: requestTags, read, knownTag: known, versions: new Set(), headers: undefined };
  if (reads && authorization !== undefined) ctx.set('Cache-Control', forCaller);
  if (has) return unchanged;
  return body && { headers: body.headers, body: body.bytes };
}

const unchanged: Answer = { status: 304 };

/** Notes the headers that a tagged answer has by itself. */
export function noteHeaders(ctx: TaggedContext, headers: Answer['headers']): void {
  if (ctx[tagging] !== undefined) ctx[tagging].headers = headers;
}

/** Notes the version of an entry that a tagged answer contains. The tag is weak if there are none or several. */
export function noteVersion(ctx: TaggedContext, version: string | null | undefined): void {
  if (typeof version === 'string') ctx[tagging]?.versions.add(version);
}

/** Does the same for an answer that project code makes of one by the service. */
export function noteAnswer(ctx: TaggedContext, version?: string | null): void {
  if (ctx[tagging] === undefined) beginTag(ctx, null);
  noteVersion(ctx, version);
}

/**
 * Sets the tags of answers, by their bytes as they are sent, and answers 304 if the client has these already. `cacheControl` is the
 * header for callers without credentials.
 */
export function tagAnswers(cacheControl: string): Middleware {
  return async (ctx: TaggedContext, next) => {
    await next();
    const noted = ctx[tagging];
    if (noted === undefined || ctx.method === 'DELETE') return; // what was deleted has no tag
    const { status } = ctx;
    const { knownTag, read } = noted;
    const isOk = status === 200 || status === 304;
    if (isOk && read?.answers.keepsBytes === true) setCacheStatus(ctx, knownTag !== null);
    if (isOk && knownTag !== null) describe(ctx, knownTag, noted.cacheControl ?? cacheControl);
    else if (status === 200 || status === 201) tagAnswer(ctx, noted, cacheControl);
    else if (ctx.res.getHeader('Cache-Control') === forCaller) ctx.set('Cache-Control', 'private, no-store');
    else if (read !== null && isPurged(read)) ctx.set('Cache-Control', 'no-store'); // a 404 has no tags, and may be kept for a while
  };
}

/** Returns whether caches are told to remove the answer to a read when it changes. */
const isPurged = ({ reads }: CacheableRead): boolean => reads.entries !== null;

/**
 * Number of characters beyond which a text is encoded once, for the hash and the answer. Node sends shorter ones together with the headers.
 */
const wide = 8_192;

/** Number of characters of a hash, of 6 bits each. */
const viewLength = 22;

/** Returns the tag of an answer by its bytes, a strong one if it has a version. */
function tagOf(body: string | Buffer, version: string | null): string {
  const view = hash('sha256', body, 'base64url').slice(0, viewLength);
  return version === null ? `W/"${view}"` : entryTag(version, view);
}

function tagAnswer(ctx: Context, noted: Tagging, cacheControl: string): void {
  const { body } = ctx;
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || ctx.res.hasHeader('ETag')) return;
  const [version, second] = noted.versions;
  const isStrong = version !== undefined && second === undefined;
  if (!isRead(ctx) && !isStrong) return;
  const bytes = typeof body === 'string' && body.length > wide ? Buffer.from(body) : body;
  if (bytes !== body) ctx.body = bytes;
  const tag = tagOf(bytes, isStrong ? version : null);
  if (!isRead(ctx)) {
    ctx.res.setHeader('ETag', tag);
    return;
  }
  const shared = noted.read === null ? {} : cacheTags(noted.read.content);
  ctx.set(shared);
  describe(ctx, tag, noted.cacheControl ?? cacheControl);
  const headers = { ...noted.headers, ...shared, 'Content-Type': String(ctx.res.getHeader('Content-Type')) };
  if (noted.read !== null) noted.read.answers.keep(ctx, { tag, headers, bytes }, noted.read);
  if (noted.requestTags !== null && isAmong(tag, noted.requestTags)) ctx.status = 304; // which also removes the body
}

/** Sets the headers that caches need, with and without a body. */
function describe(ctx: Context, tag: string, cacheControl: string): void {
  ctx.res.setHeader('ETag', tag);
  ctx.vary('Authorization');
  if (!ctx.res.hasHeader('Cache-Control')) ctx.res.setHeader('Cache-Control', cacheControl);
}
