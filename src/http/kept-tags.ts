import type { Context } from 'koa';
import { BoundedCache } from '../caches.js';
import type { Caller } from '../auth/caller.js';
import type { ContentContext, ContentSource } from '../content/content-context.js';
import type { ReadLog } from '../mongo/send/read-log.js';

/** A request whose answer has a tag, and by whom it is answered. */
export interface TaggedRead {
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
