import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels } from '../../support/serve.js';
import { accountModels, serveAccounts, type ServingAccounts } from './serve-accounts.js';

/** Two instances, and the token of a user who may do nothing but read articles. */
interface Pair {
  readonly first: ServingAccounts;
  readonly second: ServingAccounts;
  readonly reader: { readonly id: number; readonly jwt: string };
  /** The key of an API token that may do everything. */
  readonly key: string;
}

interface Case {
  readonly name: string;
  /** The answer of the second instance. It is asked before the change, so that it has kept what it can. */
  readonly ask: (pair: Pair) => Promise<unknown>;
  /** What the first instance is told, one after the other, and what the second answers then. */
  readonly changes: readonly (readonly [change: (pair: Pair) => Promise<unknown>, expected: unknown])[];
  readonly before: unknown;
}

const find = 'api::article.article.find';
const status = async (answer: Promise<{ readonly status: number }>): Promise<number> => (await answer).status;
const total = async ({ second, key }: Pair, query = ''): Promise<number> =>
  (await second.as(key, 'GET', `/api/articles?${query}`)).body.meta.pagination.total as number;
const allow =
  (...actions: readonly string[]) =>
  ({ first }: Pair) =>
    first.admin('PUT', '/roles/2', { actions });
const create =
  (title: string) =>
  ({ first, key }: Pair) =>
    first.as(key, 'POST', '/api/articles', { data: { title } });
const firstTitled = async ({ first, key }: Pair, title: string): Promise<string> => {
  const { body } = await first.as(key, 'GET', `/api/articles?filters[title]=${title}`);
  return `/api/articles/${String(body.data[0].id)}`;
};

const cases: readonly Case[] = [
  {
    name: 'actions of the public role are granted and revoked',
    ask: ({ second }) => status(second.as(null, 'GET', '/api/articles')),
    before: 403,
    changes: [
      [allow(find), 200],
      [allow('api::note.note.find'), 403],
      [allow(), 401],
    ],
  },
  {
    name: 'a role gets rules over rows, and loses them',
    ask: async ({ second, reader }) => (await second.as(reader.jwt, 'GET', '/api/articles')).body.data.length as number,
    before: 1,
    changes: [
      [({ first }) => first.admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': { title: 'none' } } }), 0],
      [({ first }) => first.admin('DELETE', '/roles/1/rules'), 1],
    ],
  },
  {
    name: 'a user gets another role, and is blocked',
    ask: ({ second, reader }) => status(second.as(reader.jwt, 'GET', '/api/articles')),
    before: 200,
    changes: [
      [({ first, reader }) => first.admin('PUT', `/users/${String(reader.id)}`, { role: 2 }), 403],
      [({ first, reader }) => first.admin('PUT', `/users/${String(reader.id)}`, { role: 1 }), 200],
      [({ first, reader }) => first.admin('PUT', `/users/${String(reader.id)}`, { blocked: true }), 401],
    ],
  },
  {
    name: 'a total follows creates and deletes',
    ask: (pair) => total(pair),
    before: 1,
    changes: [
      [create('two'), 2],
      [async (pair) => pair.first.as(pair.key, 'DELETE', await firstTitled(pair, 'two')), 1],
    ],
  },
  {
    name: 'a total of a filter follows updates',
    ask: (pair) => total(pair, 'filters[price][$gt]=10'),
    before: 0,
    changes: [
      [async (pair) => pair.first.as(pair.key, 'PUT', await firstTitled(pair, 'one'), { data: { price: 11 } }), 1],
      [async (pair) => pair.first.as(pair.key, 'PUT', await firstTitled(pair, 'one'), { data: { price: 9 } }), 0],
    ],
  },
  {
    name: 'a locale comes and goes',
    ask: async ({ second, key }) =>
      (await second.as(key, 'GET', '/api/i18n/locales')).body.map(({ code }: { readonly code: string }) => code) as string[],
    before: ['en'],
    changes: [
      [({ first }) => first.admin('POST', '/locales', { code: 'de' }), ['en', 'de']],
      [({ first }) => first.admin('DELETE', '/locales/de'), ['en']],
    ],
  },
];

describe('two instances', () => {
  let database: FreshDatabase;
  let pair: Pair;
  before(async () => {
    database = await freshDatabase();
    const first = await serveAccounts({ database });
    const second = await serveAccounts({ database, models: [] });
    const { body } = await first.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    await first.admin('PUT', '/roles/1', { actions: [find] });
    pair = { first, second, key: body.data.accessKey as string, reader: await first.addUser('reader') };
    await create('one')(pair);
  });
  after(async () => {
    await Promise.all([pair.first.stop(), pair.second.stop()]);
    await database.drop();
  });

  for (const { name, ask, before, changes } of cases)
    it(`agree when ${name}`, async () => {
      await pair.second.settled();
      expect(await ask(pair)).to.deep.equal(before);
      for (const [change, expected] of changes) {
        const changed = (await change(pair)) as { readonly status: number; readonly body: unknown };
        expect(changed.status, JSON.stringify(changed.body)).to.be.lessThan(300);
        await pair.second.settled();
        expect(await ask(pair)).to.deep.equal(expected);
      }
    });

  it('accept a token that one has made, until the other revokes it', async () => {
    const { body } = await pair.first.admin('POST', '/tokens', { name: 'short', type: 'read-only' });
    await pair.second.settled();
    const ask = () => status(pair.second.as(body.data.accessKey as string, 'GET', '/api/articles'));
    expect(await ask()).to.equal(200);
    await pair.first.admin('DELETE', `/tokens/${String(body.data.id)}`);
    await pair.second.settled();
    expect(await ask()).to.equal(401);
  });
});

describe('two instances that start for the first time at the same time', () => {
  let database: FreshDatabase;
  let directory: string;
  before(async () => {
    database = await freshDatabase();
    directory = await mkdtemp(join(tmpdir(), 'mangrove-instances-'));
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  it('make one set of secrets, default roles and locale, and count requests together', async () => {
    const input = {
      database,
      models: accountModels,
      config: { directory, environment: 'development', api: { open: false, ratelimit: { enabled: true, address: 6 } } },
    };
    const instances = await Promise.all([serveModels(input), serveModels(input)]);
    const [first, second] = instances;
    const user = { username: 'ann', email: 'ann@mail.test', password: 'Passw0rd!' };
    const { body } = await first.call('POST', '/api/auth/local/register', user);
    const answers = await Promise.all(
      instances.map(({ server }) =>
        fetch(`${server.url}/api/users/me`, { headers: { authorization: `Bearer ${String(body.jwt)}` } }),
      ),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal([200, 200]);
    for (const name of ['up_roles', 'i18n_locales', 'up_users'])
      expect(await database.db.collection(name).countDocuments(), name).to.equal(
        { up_roles: 2, i18n_locales: 1, up_users: 1 }[name],
      );
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1)
      statuses.push((await (index % 2 === 0 ? first : second).call('GET', '/api/articles')).status);
    // a token that is refused counts as none
    for (const token of ['x', 'y'])
      statuses.push((await fetch(`${first.server.url}/api/articles`, { headers: { authorization: `Bearer ${token}` } })).status);
    expect(statuses).to.deep.equal([403, 403, 403, 403, 403, 429, 429]);
    await Promise.all(instances.map(({ stop }) => stop()));
  });
});
