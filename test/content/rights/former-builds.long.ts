import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BSON } from 'mongodb';
import { handleOf } from '#api/sync/token.js';
import { serveSync, type ServingSync } from '../../api/sync/serve-sync.js';
import { freshDatabase } from '../../support/mongo.js';
import { jwtSecret, serveAccounts, type ServingAccounts } from './serve-accounts.js';

/** What a former build has stored and issued with the secrets of the tests. Each file was written by the build of its name. */
interface FormerBuild {
  readonly build: string;
  readonly issued: {
    readonly apiToken: string;
    readonly jwt: string;
    readonly refreshToken: string;
    /** Null before the panel existed. */
    readonly panelToken: string | null;
    /** Cursors of the ends of pages with two entries. */
    readonly cursors: readonly { readonly list: string; readonly ids: readonly number[]; readonly end: string }[];
    /** Writes with an Idempotency-Key, as they were answered. */
    readonly keyed: readonly { readonly key: string; readonly path: string; readonly body: unknown; readonly answer: unknown }[];
  };
  readonly documents: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

const folder = new URL('../../fixtures/builds/', import.meta.url);
const builds = readdirSync(folder).map(
  (name) => BSON.EJSON.parse(readFileSync(new URL(name, folder), 'utf8')) as FormerBuild, // the files of the folder
);

/** Returns a document that has not expired yet. */
const lasting = (document: Record<string, unknown>): object =>
  document['expiresAt'] instanceof Date ? { ...document, expiresAt: new Date(Date.now() + 3_600_000) } : document;

const config = {
  admin: { auth: { secret: 'admin-jwt-secret-of-the-tests-0123456789' } },
  plugins: { 'users-permissions': { config: { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true } } } },
};

for (const { build, issued, documents } of builds)
  describe(`an upgrade of the database of a former build: ${build}`, () => {
    let server: ServingAccounts;
    before(async () => {
      const database = await freshDatabase();
      for (const [name, rows] of Object.entries(documents)) await database.db.collection(name).insertMany(rows.map(lasting));
      const serving = await serveAccounts({ models: [], config, database });
      server = { ...serving, stop: () => serving.stop().then(database.drop) };
    });
    after(() => server.stop());

    const read = (list: string): ReturnType<ServingAccounts['as']> =>
      server.as(issued.apiToken, 'GET', `/api/articles?${list}&pagination[limit]=2`);
    const idsOf = (body: { readonly data: readonly { readonly id: number }[] }): readonly number[] =>
      body.data.map(({ id }) => id);

    it('keeps the tokens of users, administrators and programs', async () => {
      const answers = [
        await server.as(issued.apiToken, 'GET', '/api/articles'),
        await server.as(issued.jwt, 'GET', '/api/users/me'),
        await server.as(null, 'POST', '/api/auth/refresh', { refreshToken: issued.refreshToken }),
        ...(issued.panelToken === null ? [] : [await server.as(issued.panelToken, 'GET', '/admin/users/me')]),
      ];
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.equal(200);
    });

    for (const { list, ids, end } of issued.cursors)
      it(`continues the list ?${list}`, async () => {
        const all = await server.as(issued.apiToken, 'GET', `/api/articles?${list}&pagination[limit]=100&pagination[start]=0`);
        const { status, body } = await read(`${list}&pagination[after]=${end}`);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect([...ids, ...idsOf(body)]).to.deep.equal(idsOf(all.body).slice(0, 4));
      });

    for (const { key, path, body, answer } of issued.keyed)
      it(`repeats the answer of the key of a write: ${path}`, async () => {
        const headers = {
          authorization: `Bearer ${issued.apiToken}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        };
        const again = await fetch(`${server.server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
        expect([again.headers.get('idempotency-replayed'), await again.json()]).to.deep.equal(['true', answer]);
      });
  });

/**
 * Digests of shapes as the last build of 27 November 2026 had them. A change of what the service keeps in memory of a model must not
 * change them: the tokens of all copies would end.
 */
const digests: Readonly<Record<string, string>> = {
  posts: 'RnYG3O3S3kpUBIMJnTqfg1',
  authors: '9jv7zUyRzv8LE-BwPcNZ3L',
  'posts?filters[title][$contains]=a&locale=fr': 'aTz8j7lXFRZ92FsgRjRS3N',
  'posts?filters[author][name][$in][0]=a&publicationState=preview&fields[0]=title': 'kSaT9LgKO1teUDokNQ1nY-',
  'posts?filters[$or][0][author][name][$null]=true&filters[$or][1][tags][id][$gt]=3&fields=title': 'fOZD_d7nbzvOT_IQ9r6rEG',
  'authors?filters[id][$eq]=3': 'LbepkD4tjzWNbRLTl4Cnav',
};

describe('tokens of sync of a former build', () => {
  let server: ServingSync;
  before(async () => (server = await serveSync()));
  after(() => server.stop());

  for (const [path, digest] of Object.entries(digests))
    it(`are those of today for ${path}`, async () => {
      const { body } = await server.as(server.editor, 'GET', `/api/sync/${path}`);
      const log = await server.database.db.collection<{ _id: string; epoch?: string }>('_changes').findOne({ _id: 'log' });
      const handle = String(body.meta.sync.token).split('.')[3];
      expect(handle).to.equal(handleOf({ tokenDigest: digest }, { epoch: String(log?.epoch) }));
    });
});
