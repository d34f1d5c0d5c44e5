import type { FoundEntries } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';

/** A search for a text in the entries of a type. */
export interface TextSearch {
  readonly type: ContentType;
  readonly text: string;
  /** The names of the attributes that are searched, at least one. */
  readonly attributes: readonly string[];
  /** The locales whose entries are wanted; null for all. Others may be found too. */
  readonly locales: readonly string[] | null;
  /** Whether only published entries are wanted. Drafts may be found too. */
  readonly isLive: boolean;
}

/** What finds entries by their texts in the place of the database. */
export interface Finder {
  /** Returns whether it searches in a type at all. Right now it may have no answers. */
  covers(type: ContentType): boolean;
  /** Returns what it has found; null if the database must search. It never throws, and answers within a bounded time. */
  find(search: TextSearch): Promise<FoundEntries | null>;
}
