import { randomBytes } from 'node:crypto';
import { isRecord, itemsOf, printable } from '#base/values.js';
import { is } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import { clientCollection } from './declaration.js';
import { fetchDocument } from './fetch-document.js';
import type { GrantedClient } from './grants.js';
import { isRedirect } from './redirects.js';
import { OAuthError } from './refusals.js';

/** A program that asks users for access. */
export interface Client {
  /** The address of its document, or the id that it got when it registered. */
  readonly _id: string;
  readonly kind: 'registered' | 'document';
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly expiresAt: Date;
}

/** Maximum number of clients of a kind that are stored. */
const most = 1_000;

const day = 86_400_000;

const clients = ownRows<Client>(clientCollection);

const after = (days: number): Date => new Date(Date.now() + days * day);

/** Returns what grants and pages show of a client. */
export const grantedClient = ({ _id, kind, name }: Client): GrantedClient => ({
  id: _id,
  name,
  host: kind === 'document' ? new URL(_id).host : null,
});

/** How a document that is not stored is read. */
interface Fetching {
  /** The address of who has asked. */
  readonly sender: string;
  /** Counts the request. Its error is passed on. */
  readonly admit: () => Promise<void>;
  /** Takes the reason for which a document cannot be read. */
  readonly report: (error: unknown) => void;
}

/** Returns a client. Throws an OAuthError for an unknown one, and for one whose document cannot be used. */
export async function findClient(id: string, database: Database, fetching: Fetching): Promise<Client> {
  const [known] = await clients.find(database, { match: { _id: id }, limit: 1 });
  if (known !== undefined && known.expiresAt.getTime() > Date.now()) {
    if (known.kind === 'document') await clients.change(database, { _id: id }, { set: { usedAt: new Date() } });
    return known;
  }
  if (!isDocumentAddress(id)) throw new OAuthError('invalid_client', 'The client is unknown: it must register again');
  await fetching.admit();
  const client = documentClient(id, await documentOf(id, fetching));
  await storeDocument(database, client);
  return client;
}

/** Stores the client of a document, in place of the one that was used least recently if there are too many. Those with grants stay. */
export async function storeDocument(database: Database, { _id, ...values }: Client): Promise<void> {
  const { kind } = values;
  if ((await clients.count(database, { kind })) >= most) {
    const match = { kind, isGranted: is.otherThan(true) };
    const [oldest] = await clients.find(database, { match, sort: { usedAt: 1 }, limit: 1, fields: ['_id'] });
    if (oldest === undefined) return;
    await clients.remove(database, { _id: oldest._id });
  }
  await clients.change(database, { _id }, { set: { ...values, usedAt: new Date() } }, { creates: true });
}

const longestAddress = 500;

/** Returns whether an id is the address of a document: https, with a path, without parts that others could read in another way. */
function isDocumentAddress(id: string): boolean {
  if (id.length > longestAddress || !id.startsWith('https://') || !URL.canParse(id)) return false;
  const { href, pathname, username, password } = new URL(id);
  return href === id && pathname !== '/' && username === '' && password === '' && !id.includes('#');
}

/** The error is the same for all reasons, because they would tell strangers which hosts and ports can be reached from here. */
const unreadable = (): OAuthError =>
  new OAuthError('invalid_client', 'The document of the client cannot be used: it cannot be read from a public address');

async function documentOf(id: string, fetching: Fetching): Promise<unknown> {
  if (new URL(id).port !== '') throw unreadable();
  const document = await fetchDocument(id, fetching.sender).catch((error: unknown) => {
    fetching.report(error);
    throw unreadable();
  });
  if (document !== undefined) return document;
  throw new OAuthError('temporarily_unavailable', 'Too many documents of clients are being read, please try again later', 429);
}

function documentClient(id: string, document: unknown): Client {
  const values = isRecord(document) ? document : {};
  const redirectUris = itemsOf(values['redirect_uris']).filter(isRedirect);
  const fault =
    values['client_id'] !== id
      ? 'its client_id is not its address'
      : redirectUris.length === 0
        ? 'redirect_uris has no address with https'
        : (values['token_endpoint_auth_method'] ?? 'none') !== 'none' || values['client_secret'] !== undefined
          ? 'only clients without a secret are served (token_endpoint_auth_method none)'
          : null;
  if (fault !== null) throw new OAuthError('invalid_client', `The document of the client cannot be used: ${fault}`);
  return { _id: id, kind: 'document', name: nameOf(values['client_name'], new URL(id).host), redirectUris, expiresAt: after(1) };
}

const longestName = 100;

function nameOf(name: unknown, other: string): string {
  const shown = typeof name === 'string' ? printable(name).trim().slice(0, longestName) : '';
  return shown === '' ? other : shown;
}

const mostRedirects = 10;

/** Days for which a client that has registered waits for a first grant, and is kept after the last one. */
const kept = { unused: 1, used: 365 } as const;

/** Registers a client, and returns it. Throws an OAuthError for addresses that are not served, and if there are too many clients. */
export async function registerClient(database: Database, metadata: unknown): Promise<Client> {
  const values = isRecord(metadata) ? metadata : {};
  const redirectUris = itemsOf(values['redirect_uris']);
  if (redirectUris.length === 0 || redirectUris.length > mostRedirects || !redirectUris.every(isRedirect))
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be 1 to ${String(mostRedirects)} addresses with https, or with http on the machine of the user`,
    );
  const _id = randomBytes(16).toString('base64url');
  const name = nameOf(values['client_name'], new URL(redirectUris[0] ?? '').host);
  const client: Client = { _id, kind: 'registered', name, redirectUris, expiresAt: after(kept.unused) };
  await clients.put(database, client);
  if ((await clients.count(database, { kind: client.kind })) <= most) return client;
  await clients.remove(database, { _id });
  throw new OAuthError('temporarily_unavailable', `${String(most)} clients have registered, which is the maximum`, 429);
}

/** Keeps a client, because a user has just granted it something: a registered one for long, a document until it is read again. */
export const keepClient = async (database: Database, _id: string): Promise<void> => {
  await clients.change(database, { _id, kind: 'document' }, { set: { isGranted: true } });
  await clients.change(database, { _id, kind: 'registered' }, { set: { expiresAt: after(kept.used) } });
};
