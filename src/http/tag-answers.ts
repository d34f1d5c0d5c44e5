import { hash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import { BoundedCache } from '#base/caches.js';
import type { ContentContext, ContentSource } from '#content/content-context.js';
import { entryTag } from '#base/errors.js';
import type { ReadLog } from '#store/send/read-log.js';
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
  readonly asked: Tags | null;
  /** The read; null if the request writes, or project code takes part. */
  readonly read: TaggedRead | null;
  /** The versions of the entries that are answered. */
  readonly versions: Set<string>;
  /** The tag, if the client has it and nothing has to be read. */
  known: string | null;
}

export const isRead = ({ method }: Pick<Context, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** `Cache-Control` for callers with credentials. */
const forCaller = 'private, no-cache';

/**
 * Lets the answer to a request get a tag. Returns whether the client has the answer already. A malformed If-None-Match is
 * ignored, because it only costs the client an answer.
 */
export function beginTag(ctx: TaggedContext, read: TaggedRead | null, cacheControl?: string): boolean {
  const reads = isRead(ctx);
  const { authorization, 'if-none-match': header } = ctx.req.headers;
  const asked = reads && header !== undefined ? readTags(header) : null;
  const tag = asked === null || read === null ? null : read.tags.find(ctx, read);
  const known = tag !== null && asked !== null && isAmong(tag, asked) ? tag : null;
  ctx[tagging] = { cacheControl, asked, read, known, versions: new Set() };
  if (reads && authorization !== undefined) ctx.set('Cache-Control', forCaller);
  return known !== null;
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
    if (status === 200 || status === 201) tagAnswer(ctx, noted, cacheControl);
    else if (status === 304 && noted.known !== null) describe(ctx, noted.known, noted.cacheControl ?? cacheControl);
    else if (ctx.res.getHeader('Cache-Control') === forCaller) ctx.set('Cache-Control', 'private, no-store');
  };
}

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
  describe(ctx, tag, noted.cacheControl ?? cacheControl);
  if (noted.read !== null) noted.read.tags.keep(ctx, tag, noted.read);
  if (noted.asked !== null && isAmong(tag, noted.asked)) ctx.status = 304; // which also removes the body
}

/** Sets the headers that caches need, with and without a body. */
function describe(ctx: Context, tag: string, cacheControl: string): void {
  ctx.res.setHeader('ETag', tag);
  ctx.vary('Authorization');
  if (!ctx.res.hasHeader('Cache-Control')) ctx.res.setHeader('Cache-Control', cacheControl);
}

/** A request whose answer has a tag, and by whom it is answered. */
interface TaggedRead {
  readonly caller: Caller;
  readonly content: ContentContext;
  readonly models: ContentSource['models'];
  readonly tags: KeptTags;
  readonly reads: ReadLog;
}

/** A tag that was made here, and what it depends on. */
interface KeptTag {
  readonly tag: string;
  readonly access: Caller['access'];
  readonly snapshot: ContentSource['models']['snapshot'];
  readonly begun: number;
  readonly collections: readonly string[];
  readonly uids: readonly string[];
}

const bounds = { entries: 10_000, bytes: 16_000_000 };

/** Approximate bytes of a kept tag besides its key. */
const weight = 400;

/** Number of characters of an address beyond which its tag is not kept. */
const longestUrl = 4_096;

/**
 * The tags of recent answers, by caller and address. One stays valid while models and rights are the same objects, and no change of
 * a collection was reported from which the answer was read.
 */
export class KeptTags {
  readonly #tags = new BoundedCache<KeptTag>(bounds);

  /** Returns the tag that the answer has as far as this instance knows; null if it must be read. */
  find(ctx: Context, read: TaggedRead): string | null {
    const { caller, content, models } = read;
    const kept = this.#tags.get(keyOf(ctx, caller));
    if (kept === undefined) return null;
    const isSame = kept.access === caller.access && kept.snapshot === models.snapshot;
    if (!isSame || !content.store.changes.isUnchanged(kept.collections, kept.begun)) return null;
    return kept.uids.some((uid) => (content.hooks?.reads(uid) ?? null) !== null) ? null : kept.tag;
  }

  /** Keeps the tag of an answer, unless it depends on more than stored entries. */
  keep(ctx: Context, tag: string, read: TaggedRead): void {
    const { caller, content, models, reads } = read;
    const { registry, locales } = models.snapshot;
    if (content.bind.registry !== registry || content.bind.locales !== locales.codes) return; // read by an older snapshot
    if (reads.dependsOnMore || ctx.url.length > longestUrl || ctx.querystring.includes('explain=')) return;
    if (!content.store.changes.isUnchanged(reads.collections, reads.begun) || this.find(ctx, read) === tag) return;
    const [collections, uids] = [[...new Set(reads.collections)], reads.uids];
    const kept = { tag, access: caller.access, snapshot: models.snapshot, begun: reads.begun, collections, uids };
    this.#tags.set(keyOf(ctx, caller), kept, weight);
  }
}

/** Returns the key of a request. Who is public has the same answers from every address, as long as the rights are the same. */
const keyOf = ({ url }: Context, caller: Caller): string => {
  const id = caller.kind === 'user' ? caller.user.id : caller.kind === 'token' ? caller.token.id : '';
  return `${caller.kind} ${String(id)} ${url}`;
};
