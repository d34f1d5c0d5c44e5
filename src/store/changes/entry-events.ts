import type { Sender } from '#base/limits/queue.js';
import type { ContentType } from '#model/schema/content-type.js';
import { draftOf } from '../form/draft.js';
import type { Database, Document } from '../send/database.js';

/** A write of entries of a type. */
interface Event {
  readonly type: ContentType;
  /** Who has asked for it. */
  readonly by: Author;
  readonly requestId: string | null;
  /** The program that acted for the author, by the name that it says; null if there was none. */
  readonly agent: string | null;
  readonly at: Date;
}

/**
 * Who has written an entry, as it is stored. `schedule` is the service itself, at a time that the entry states; null if no request has
 * asked for it: the service itself, or project code after its request.
 */
export type Author = 'schedule' | NonNullable<Sender['caller']> | null;

/** What was done to an entry. */
export type EntryAction = 'create' | 'update' | 'draft' | 'publish' | 'unpublish' | 'delete';

/** An entry that this instance has written. Fields that are no attributes do not count. */
export interface EntryWritten extends Event {
  /** `draft`: the draft beside the entry was saved, and the entry is as it was. */
  readonly kind: 'create' | 'update' | 'draft' | 'delete';
  /** The same, with changes of the publication state. They are updates if `before` is not known. */
  readonly action: EntryAction;
  readonly id: number;
  /** Null if the type is not localized. */
  readonly locale: string | null;
  /** The stored document after the write; that of a deleted entry as it was. */
  readonly document: Document;
  /** The stored document before an update, if it is known. */
  readonly before?: Document;
}

/**
 * `any`: all entries of the type may have changed. An import or another program has replaced the collection, or more entries were
 * written at once than are told one by one.
 */
export type EntryEvent = EntryWritten | (Event & { readonly kind: 'any' });

/** Returns what a write has done to an entry, by the documents before and after it. */
export function actionOf({ kind, before, document }: EntryFact, { draftAndPublish }: ContentType): EntryAction {
  if (kind !== 'update' || before === undefined || !draftAndPublish) return kind;
  const [was, is] = [before, document].map(({ publishedAt }) => publishedAt instanceof Date);
  const isDraftPublished = is === true && draftOf(before) !== null && draftOf(document) === null;
  return was === is && !isDraftPublished ? kind : is === true ? 'publish' : 'unpublish';
}

/** What is known of a write before it is told. */
export type EntryFact = Pick<EntryWritten, 'kind' | 'document' | 'before'>;

/** Code that hears of entries, whoever writes them: of each write once, in their order. */
export interface Subscriber {
  /** Returns whether it hears of writes of a kind to a type. */
  readonly subscribesTo: (kind: EntryEvent['kind'], type: ContentType) => boolean;
  /** Whether all updates must have `before`, which costs a command for each. */
  readonly needsBefore?: true;
  /**
   * Called inside the transaction of the write, so that it can write too. Its error aborts the transaction. May be called again,
   * after a conflict with another write.
   */
  readonly within?: (event: EntryEvent, database: Database) => Promise<void>;
  /** Called after the commit. The answer waits for it; its error is logged. */
  readonly after?: (event: EntryEvent) => unknown;
}

/** The subscribers that hear of a write to a type. */
export interface Subscription {
  readonly type: ContentType;
  readonly subscribers: readonly Subscriber[];
}
