import type { Collections, Singles, UploadedFile } from './allowed-types.js';
import type { BatchAnswer, BatchOptions, BatchWrite, Count, Page, Single } from './answers.js';
import type { ClientSession } from './client-session.js';
import type { EntryOf, FlatOf, Types } from './entry.js';
import type { Faceted, Facets, FacetsOf } from './facets.js';
import type { AggregateQuery, Functions, GroupName, Groups } from './groups.js';
import type {
  CursorPaging,
  EntryQuery,
  Fallback,
  FieldName,
  ListQuery,
  Paging,
  InStatus,
  PagingOf,
  Populate,
  State,
  StateOf,
  Status,
} from './query.js';
import type { Call, CallOptions } from './requester.js';
import type { Uploadable, UploadOptions } from './upload.js';

type Id = number | string;
/** Nothing is populated. */
type None = never;

/**
 * A client for the content types `T`, which `mangrove types` generates. Methods throw a Failure; `attempt` returns it as a value
 * instead. Requests are retried if the service is unreachable or asks to retry; writes have an Idempotency-Key, so that the service
 * carries them out once.
 */
export interface Client<T extends Types<T>> extends ClientSession<T> {
  /** Reads a page of entries. */
  find<
    Name extends Collections<T, 'find'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const S extends State = 'live',
    const G extends Paging = object,
    const Q extends Facets<T[Name]> = never,
  >(
    name: Name,
    query?: ListQuery<T[Name], P, F, S, G> & Faceted<T[Name], Q>,
    options?: CallOptions,
  ): Promise<Page<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>, PagingOf<G>, FacetsOf<T[Name], Q>>>;

  /** Yields all pages one after the other. No entry is skipped or repeated while others are created, deleted or changed. */
  pages<
    Name extends Collections<T, 'find'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const S extends State = 'live',
    const G extends CursorPaging = object,
  >(
    name: Name,
    query?: ListQuery<T[Name], P, F, S, G>,
    options?: CallOptions,
  ): AsyncGenerator<
    Page<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>, PagingOf<G & { cursors: true }>>,
    void,
    void
  >;

  /** Reads one entry, which may be a draft. */
  findOne<
    Name extends Collections<T, 'findOne'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    id: Id,
    query?: EntryQuery<T[Name], P, F> & Fallback & { readonly publicationState?: State },
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

  /** Counts the entries that a list would have on all pages. */
  count<Name extends Collections<T, 'find'>>(
    name: Name,
    query?: Pick<
      ListQuery<T[Name], never, never, State, Paging>,
      'filters' | 'locale' | 'fallbackLocale' | 'publicationState' | '_q'
    >,
    options?: CallOptions,
  ): Promise<Count>;

  /** Counts, adds and averages entries by groups. */
  aggregate<
    Name extends Collections<T, 'aggregate'>,
    const K extends GroupName<T[Name]> = never,
    const A extends Functions<T[Name]> = { count: '*' },
  >(
    name: Name,
    query?: AggregateQuery<T[Name], K, A>,
    options?: CallOptions,
  ): Promise<Groups<T[Name], K, A>>;

  /** Reads the entry with a value of a unique attribute, which may be a draft. */
  by<
    Name extends Collections<T, 'findOne'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    attribute: keyof T[Name]['values'] & string,
    value: Id,
    query?: EntryQuery<T[Name], P, F> & Fallback & { readonly publicationState?: State },
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

  /** Sends several writes to content types at once. */
  batch(writes: readonly BatchWrite[], options?: BatchOptions): Promise<{ data: BatchAnswer[]; meta: object }>;

  /** Creates an entry, published unless `publishedAt` is null. */
  create<
    Name extends Collections<T, 'create'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const W extends Status = 'published',
  >(
    name: Name,
    data: T[Name]['create'],
    query?: EntryQuery<T[Name], P, F> & InStatus<T[Name], W>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P; publicationState: StateOf<W> }>>>;

  /** Changes the given values of an entry. */
  update<
    Name extends Collections<T, 'update'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const W extends Status = 'published',
  >(
    name: Name,
    id: Id,
    data: T[Name]['input'],
    query?: EntryQuery<T[Name], P, F> & InStatus<T[Name], W>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P; publicationState: StateOf<W> }>>>;

  /** Deletes an entry. Returns its former content. */
  delete<Name extends Collections<T, 'delete'>>(name: Name, id: Id, options?: CallOptions): Promise<Single<EntryOf<T[Name]>>>;

  /**
   * Creates a localization of an entry: a draft unless `publishedAt` is given. Values that are not localized are copied,
   * relations are not.
   */
  localize<Name extends Collections<T, 'createLocalization'>>(
    name: Name,
    id: Id,
    data: T[Name]['input'] & { locale: string },
    options?: CallOptions,
  ): Promise<FlatOf<T[Name], { populate: { localizations: true } }>>;

  /** Reads the entry of a single type. */
  findSingle<
    Name extends Singles<T, 'find'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const S extends State = 'live',
  >(
    name: Name,
    query?: EntryQuery<T[Name], P, F> & Fallback & { readonly publicationState?: S },
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>>>;

  /** Changes the entry of a single type, or creates it. */
  updateSingle<
    Name extends Singles<T, 'update'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const W extends Status = 'published',
  >(
    name: Name,
    data: T[Name]['input'],
    query?: EntryQuery<T[Name], P, F> & InStatus<T[Name], W>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P; publicationState: StateOf<W> }>>>;

  deleteSingle<Name extends Singles<T, 'delete'>>(
    name: Name,
    query?: { readonly locale?: string },
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name]>>>;

  localizeSingle<Name extends Singles<T, 'createLocalization'>>(
    name: Name,
    data: T[Name]['input'] & { locale: string },
    options?: CallOptions,
  ): Promise<FlatOf<T[Name], { populate: { localizations: true } }>>;

  /** Uploads files. Returns their entries. */
  upload(files: readonly Uploadable[], about?: UploadOptions, options?: CallOptions): Promise<FlatOf<UploadedFile<T>>[]>;

  /** Sends any request below the API prefix. Returns the body of the answer. */
  request(call: Call): Promise<unknown>;
  /** Returns the place of a write of a synced type among all writes (`Sync-Position`), by its answer; null if the answer names none. */
  positionOf(answer: object): string | null;
}
