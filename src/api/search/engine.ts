/** An index of a search engine. */
export interface EngineIndex {
  readonly name: string;
  /** The collection whose entries it has. */
  readonly collection: string;
  /** The names of the attributes whose texts it has. */
  readonly attributes: readonly string[];
}

/** An entry as an engine stores it. */
export interface EngineDocument {
  readonly id: number;
  readonly isPublished: boolean;
  /** Null if its type is not localized. */
  readonly locale: string | null;
  /** The texts by attribute. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A search in some attributes of an index. */
export interface EngineSearch {
  readonly text: string;
  readonly attributes: readonly string[];
  /** The locales whose entries are wanted; null for all. */
  readonly locales: readonly string[] | null;
  /** Whether only published entries are wanted. */
  readonly isLive: boolean;
  /** Maximum number of ids. */
  readonly limit: number;
}

/**
 * A search engine. Each function throws an error if the engine does not answer, refuses, or the signal aborts. Those that write resolve
 * when what they write is stored and can be found. They may be repeated.
 */
export interface SearchEngine {
  readonly name: string;
  /** Whether it must be sent the entries. Otherwise it follows the database by itself. */
  readonly isFed: boolean;
  /** Returns the ids of entries, of the best match first. */
  search(index: EngineIndex, search: EngineSearch, signal: AbortSignal): Promise<readonly number[]>;
  create(index: EngineIndex, signal: AbortSignal): Promise<void>;
  /** Returns whether an index that was created can be searched. */
  isReady(index: EngineIndex, signal: AbortSignal): Promise<boolean>;
  /**
   * Returns whether the engine has an index, as it was created. It may have lost all, and have created it anew by itself without settings.
   */
  isThere(index: EngineIndex, signal: AbortSignal): Promise<boolean>;
  /** Stores documents in the place of those with the same ids. */
  put(index: EngineIndex, documents: readonly EngineDocument[], signal: AbortSignal): Promise<void>;
  remove(index: EngineIndex, ids: readonly number[], signal: AbortSignal): Promise<void>;
  /** Deletes an index, if it is there. */
  drop(index: EngineIndex, signal: AbortSignal): Promise<void>;
  /** Returns the version of the engine, if it has one. */
  version(signal: AbortSignal): Promise<string>;
}

/** Returns the name under which an engine over HTTP stores the text of an attribute, which may have the name of another field. */
export const textField = (attribute: string): string => `text_${attribute}`;
