import { accountMethods } from './account-methods.js';
import type { Client } from './client.js';
import { contentMethods } from './content-methods.js';
import type { AnyTypes, Types } from './entry.js';
import { createRequester, type ClientOptions } from './requester.js';

export type { Client, LoggedIn, Page, Single } from './client.js';
export type { EntryOf, FlatOf, TypeShape, Types } from './entry.js';
export { attempt, isFailure, type Attempt, type Failure, type WrongValue } from './failure.js';
export type { EntryQuery, ListQuery, Populate, Sort } from './query.js';
export type { Call, CallOptions, ClientOptions } from './requester.js';
export type { Session, SessionStore } from './session.js';
export type { Progress } from './transport.js';
export type { FileInfo, Uploadable, UploadOptions } from './upload.js';

/**
 * Creates a client of a service.
 *
 * @example
 * const client = createClient<ContentTypes>({ url: 'https://cms.example.org' });
 * const { data } = await client.find('articles', { populate: { author: true } });
 */
export function createClient<T extends Types<T> = AnyTypes>(options: ClientOptions): Client<T> {
  const requester = createRequester(options);
  const client: unknown = { ...contentMethods(requester), ...accountMethods(requester) };
  return client as Client<T>; // what the methods return is known from the models alone
}
