import type { Context } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import { BoundedCache, memoize } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import type { ContentSource } from '#content/create-context.js';
import type { Config } from '#settings/config.js';
import type { Access } from '#model/query/access.js';
import type { Backend } from '#store/models/open-backend.js';
import { roomForForms } from './compressed-forms.js';
import type { ReadLog } from '#store/send/database.js';

/** A read whose answer may be kept. */
export interface CacheableRead {
  readonly caller: Caller;
  readonly content: ContentContext;
  readonly models: ContentSource['models'];
  readonly answers: AnswerCache;
  readonly reads: ReadLog;
  /** What is asked for besides the address. */
  readonly form: string;
  /** Whether the answer is about the caller, so that others with the same rights have another one. */
  readonly isOwn: boolean;
}

/** What is kept of the answer itself. */
interface CachedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: string | Buffer;
}

/** An answer that was made here, and what it depends on. */
interface CachedAnswer {
  /** Null if answers of its route have no tags. */
  readonly tag: string | null;
  /** Null if the tag alone is kept. */
  readonly body: CachedBody | null;
  readonly snapshot: ContentSource['models']['snapshot'];
  readonly begun: number;
  readonly collections: readonly string[];
  readonly uids: readonly string[];
}

/** An answer as it is about to be sent. */
type SentAnswer = Pick<CachedAnswer, 'tag'> & CachedBody;

/** The types of answers that koa-compress compresses, as far as answers are kept. */
const compressed = /json|xml|javascript|^text\//i;

/** Maximum bytes if only tags are kept. */
const bytesOfTags = 16_000_000;

/** Approximate bytes of a kept answer besides its key and its body. */
const weight = 400;

/** Bytes of an answer beyond which only its tag is kept. */
const largestBody = 1_000_000;

/** Number of characters of an address, and of what is asked for besides it, beyond which nothing is kept. */
const longest = 8_192;

/**
 * The recent answers to reads, by address and by the rights of their callers. One stays valid while models and rights are the same
 * objects, and no change of a collection was reported from which it was read. Its tag then answers whether a client has it. Its bytes
 * are served to all callers with the same rights, if the writes of all instances are known.
 */
export class AnswerCache {
  readonly #answers: BoundedCache<CachedAnswer>;
  readonly #across: boolean;
  /** Bytes from which on an answer is compressed. */
  readonly #compressedFrom: number;
  readonly #instances: Backend['instances'];
  /** Whether bytes are kept, not only tags. */
  readonly keepsBytes: boolean;

  constructor({ api, middlewares }: Config, { instances }: Pick<Backend, 'instances'>) {
    const { bytes, across } = api.rest.keepAnswers;
    this.keepsBytes = bytes > 0;
    this.#answers = new BoundedCache({ bytes: this.keepsBytes ? bytes : bytesOfTags });
    this.#across = across;
    this.#compressedFrom = middlewares.compress.enabled ? middlewares.compress.threshold : Infinity;
    this.#instances = instances;
  }

  /** Returns what is kept of the answer to a request, if it is as this instance would read it now; null if it must be read. */
  find(ctx: Context, read: CacheableRead): CachedAnswer | null {
    if (asksAnew(ctx)) return null;
    const key = keyOf(ctx, read);
    const cached = key === null ? undefined : this.#answers.get(key);
    if (key === null || cached === undefined) return null;
    const { content, models } = read;
    const isSame = cached.snapshot === models.snapshot && content.store.changes.isUnchanged(cached.collections, cached.begun);
    if (isSame && !cached.uids.some((uid) => (content.hooks?.reads(uid) ?? null) !== null)) return cached;
    this.#answers.delete(key);
    return null;
  }

  /** Returns the bytes of a kept answer if they may be served; null if they must be read. */
  bodyOf({ body }: CachedAnswer, { content }: CacheableRead): CachedBody | null {
    return body !== null && this.#mayServe(content) ? body : null;
  }

  /** Keeps an answer, or only its tag, unless it depends on more than stored entries. */
  keep(ctx: Context, answer: SentAnswer, read: CacheableRead): void {
    const { content, models, reads } = read;
    const { registry, locales } = models.snapshot;
    const key = keyOf(ctx, read);
    if (key === null || reads.dependsOnMore) return;
    if (reads.collections.length === 0) return; // no change would end it, and it may be a refusal
    if (content.bind.registry !== registry || content.bind.locales !== locales.codes) return; // read by an older snapshot
    if (!content.store.changes.isUnchanged(reads.collections, reads.begun)) return;
    const body = this.#mayKeep(ctx, answer, read) ? { headers: answer.headers, bytes: ownBytes(answer.bytes) } : null;
    if (body === null && (answer.tag === null || this.#answers.get(key)?.tag === answer.tag)) return;
    const [collections, { begun, uids }] = [[...new Set(reads.collections)], reads];
    const size = weight + this.#sizeOf(body);
    this.#answers.set(key, { tag: answer.tag, body, snapshot: models.snapshot, begun, collections, uids }, size);
  }

  /** Returns the bytes of memory of a body, with those of its compressed forms. */
  #sizeOf(body: CachedBody | null): number {
    if (body === null) return 0;
    const { bytes, headers } = body;
    if (typeof bytes === 'string') return 2 * bytes.length;
    const isCompressed = bytes.length >= this.#compressedFrom && compressed.test(headers['Content-Type'] ?? 'application/json');
    return bytes.length + (isCompressed ? roomForForms(bytes) : 0);
  }

  #mayKeep(ctx: Context, { bytes }: SentAnswer, { caller, content, isOwn }: CacheableRead): boolean {
    if (isOwn || caller.access.isOfUser === true || ctx.res.hasHeader('Set-Cookie')) return false;
    return bytes.length <= largestBody && this.#mayServe(content);
  }

  /** Returns whether all writes are known: those of this instance, and those of others up to a second ago, if there may be others. */
  #mayServe({ store: { changes } }: ContentContext): boolean {
    return this.keepsBytes && changes.isCurrent && (this.#across || this.#instances.isAlone);
  }
}

/**
 * Says whether an answer was kept. Its age is that of the last word that it is still valid, as after a validation at the origin: a larger
 * one would take the time from caches for which `Cache-Control` lets them keep it.
 */
export function setCacheStatus(ctx: Context, isKept: boolean): void {
  ctx.res.setHeader('Cache-Status', isKept ? 'mangrove; hit' : 'mangrove; fwd=miss');
  if (isKept) ctx.res.setHeader('Age', '0');
}

/** Returns whether the client demands an answer that is read for it. */
const asksAnew = ({ req }: Context): boolean => /\bno-(?:cache|store)\b/i.test(req.headers['cache-control'] ?? '');

/** What in a request makes its answer one that is not kept: the plan of its reads, and entries that a token shows before they are published. */
const passing = /explain=|previewToken/i;

/** Returns the key of a request; null if its answer is not kept. */
function keyOf(ctx: Context, { caller, form, isOwn, reads }: CacheableRead): string | null {
  const { url, host } = ctx;
  if (url.length + form.length > longest || ctx.req.headers['x-preview-token'] !== undefined) return null;
  if (passing.test(url.includes('%') ? decoded(url) : url)) return null;
  const own = isOwn && caller.kind === 'user' ? String(caller.user.id) : '';
  const tagged = reads.entries === null ? '' : ' tagged'; // credentials that say nothing make no tags for others
  return `${caller.kind}${own}${tagged} ${String(classOf(caller.access))} ${host} ${url} ${form}`;
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url.replaceAll(/%[2-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
}

let classes = 0;

/** Returns the number of a class of equal rights. Callers with the same access are one class. */
const classOf = memoize((access: Access): number => (void access, ++classes));

/** Returns bytes that hold no larger memory, which several of them share. */
function ownBytes(bytes: string | Buffer): string | Buffer {
  if (typeof bytes === 'string' || bytes.length === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
