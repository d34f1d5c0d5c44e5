import type { EntryOf, FlatOf, TypeShape, Types } from './entry.js';
import type { EntryQuery, FieldName, ListQuery, Paging, PagingOf, Populate, State } from './query.js';
import type { Call, CallOptions } from './requester.js';
import type { Session } from './session.js';
import type { Uploadable, UploadOptions } from './upload.js';

/** Names of the types of a kind on which an action is allowed. */
type Allowed<T extends Types<T>, Kind, Action> = {
  [Name in keyof T]: Kind extends T[Name]['kind'] ? (Action extends T[Name]['actions'] ? Name : never) : never;
}[keyof T] &
  string;

type Collections<T extends Types<T>, Action> = Allowed<T, 'collectionType', Action>;
type Singles<T extends Types<T>, Action> = Allowed<T, 'singleType', Action>;

/** A type of the service itself, if the declarations have it. */
type Plugin<T, Uid extends string> = T extends Readonly<Record<Uid, infer Shape extends TypeShape>> ? Shape : TypeShape;
type User<T> = Plugin<T, 'plugin::users-permissions.user'>;
type UploadedFile<T> = Plugin<T, 'plugin::upload.file'>;

type Id = number | string;
/** Nothing is populated. */
type None = never;

/** One entry as it is answered. */
export interface Single<Entry> {
  data: Entry;
  meta: object;
}

/** A page of entries. */
export interface Page<Entry, Pagination> {
  data: Entry[];
  meta: { pagination: Pagination };
}

/** The result of a login; there is no `jwt` if the address must be confirmed first. */
export type LoggedIn<T> = Partial<Session> & { user: FlatOf<User<T>> };

/**
 * A client of the content types `T`, which `mangrove types` writes. Each method throws a Failure, which `attempt` makes a value of.
 * Reads are repeated if the service cannot be reached or asks for it.
 */
export interface Client<T extends Types<T>> {
  /** Reads a page of entries. */
  find<
    Name extends Collections<T, 'find'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const S extends State = 'live',
    const G extends Paging = object,
  >(
    name: Name,
    query?: ListQuery<T[Name], P, F, S, G>,
    options?: CallOptions,
  ): Promise<Page<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>, PagingOf<G>>>;

  /** Reads all pages, one after the other, from the page that the query names. */
  pages<
    Name extends Collections<T, 'find'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
    const S extends State = 'live',
  >(
    name: Name,
    query?: ListQuery<T[Name], P, F, S, { page?: number; pageSize?: number }>,
    options?: CallOptions,
  ): AsyncGenerator<Page<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>, PagingOf<object>>, void, void>;

  /** Reads one entry, drafts included. */
  findOne<
    Name extends Collections<T, 'findOne'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    id: Id,
    query?: EntryQuery<T[Name], P, F>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

  /** Creates an entry, published unless `publishedAt` is null. */
  create<
    Name extends Collections<T, 'create'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    data: T[Name]['create'],
    query?: EntryQuery<T[Name], P, F>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

  /** Changes the named values of an entry. */
  update<
    Name extends Collections<T, 'update'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    id: Id,
    data: T[Name]['input'],
    query?: EntryQuery<T[Name], P, F>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

  /** Deletes an entry, and returns what it was. */
  delete<Name extends Collections<T, 'delete'>>(name: Name, id: Id, options?: CallOptions): Promise<Single<EntryOf<T[Name]>>>;

  /**
   * Creates an entry in another language, beside the entry of that id: a draft unless `publishedAt` is given. It takes over values that are
   * not translated, and no relations.
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
    query?: EntryQuery<T[Name], P, F> & { readonly publicationState?: S },
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P; publicationState: S }>>>;

  /** Changes the entry of a single type, or creates it. */
  updateSingle<
    Name extends Singles<T, 'update'>,
    const P extends Populate<T[Name]> = None,
    const F extends FieldName<T[Name]> = FieldName<T[Name]>,
  >(
    name: Name,
    data: T[Name]['input'],
    query?: EntryQuery<T[Name], P, F>,
    options?: CallOptions,
  ): Promise<Single<EntryOf<T[Name], { fields: F; populate: P }>>>;

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

  /** Uploads files, and returns their entries. */
  upload(files: readonly Uploadable[], options?: UploadOptions): Promise<FlatOf<UploadedFile<T>>[]>;

  /** Logs a user in by name or e-mail address. Further requests are made as this user. */
  login(identifier: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Registers a user, and logs the user in unless the address must be confirmed first. */
  register(
    user: { readonly username: string; readonly email: string; readonly password: string; readonly [name: string]: unknown },
    options?: CallOptions,
  ): Promise<LoggedIn<T>>;
  /** Has a code sent by which a new password can be set. */
  forgotPassword(email: string, options?: CallOptions): Promise<void>;
  /** Sets a new password by a code, and logs the user in. */
  resetPassword(code: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Sets a new password for the user who is logged in. */
  changePassword(currentPassword: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Reads the user who is logged in. */
  me<const P extends Populate<User<T>> = None, const F extends FieldName<User<T>> = FieldName<User<T>>>(
    query?: EntryQuery<User<T>, P, F>,
    options?: CallOptions,
  ): Promise<FlatOf<User<T>, { fields: F; populate: P }>>;
  /** Renews the session. Requests do so themselves if their token is refused. Returns whether there is a session. */
  refresh(): Promise<boolean>;
  /** Ends the session here, then at the service. */
  logout(options?: CallOptions): Promise<void>;
  /** The session of the user who is logged in. */
  session(): Promise<Session | null>;

  /** Sends any other request below the prefix of the API, and returns the body of the answer. */
  request(call: Call): Promise<unknown>;
}
