import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { storeModels } from '../../../support/serve.js';
import { type Keyed, models, serveKeys, type ServingKeys } from './serve-keys.js';

const actions = ['find', 'findOne', 'create', 'update', 'delete'].map((name) => `api::article.article.${name}`);
const own = { owner: { id: { $eq: '$user.id' } } };

interface RightsCase {
  readonly name: string;
  readonly role: 1 | 2;
  /** What an administrator changes after the write. */
  readonly change: (serving: ServingKeys, userId: number) => Promise<unknown>;
  readonly status: number;
  readonly graphql?: true;
}

const without = (action: string) => actions.filter((name) => !name.endsWith(action));

const cases: readonly RightsCase[] = [
  { name: 'nothing changed', role: 1, change: () => Promise.resolve(), status: 200 },
  {
    name: 'a user lost the action',
    role: 1,
    change: ({ admin }) => admin('PUT', '/roles/1', { actions: without('create') }),
    status: 403,
  },
  {
    name: 'a user lost the right to read',
    role: 1,
    change: ({ admin }) => admin('PUT', '/roles/1', { actions: without('find') }),
    status: 403,
  },
  {
    name: 'a rule hides the entry',
    role: 1,
    change: ({ admin }) => admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': own } }),
    status: 403,
  },
  {
    name: 'a rule hides an attribute',
    role: 1,
    change: ({ admin }) => admin('PUT', '/roles/1/rules', { fields: { 'api::article.article': { deny: ['title'] } } }),
    status: 403,
  },
  {
    name: 'a user has another role with fewer rights',
    role: 1,
    change: async ({ admin }, id) => {
      await admin('PUT', '/roles/2', { actions: without('delete') });
      await admin('PUT', `/users/${String(id)}`, { role: 2 });
    },
    status: 403,
  },
  {
    name: 'a user is blocked',
    role: 1,
    change: ({ admin }, id) => admin('PUT', `/users/${String(id)}`, { blocked: true }),
    status: 401,
  },
  {
    name: 'the public lost the action',
    role: 2,
    change: ({ admin }) => admin('PUT', '/roles/2', { actions: without('create') }),
    status: 403,
  },
  {
    name: 'a user lost the action, over GraphQL',
    role: 1,
    graphql: true,
    change: ({ admin }) => admin('PUT', '/roles/1', { actions: without('create') }),
    status: 200,
  },
  { name: 'nothing changed, over GraphQL', role: 1, graphql: true, change: () => Promise.resolve(), status: 200 },
];

describe('A repeated write with an Idempotency-Key', () => {
  let database: FreshDatabase;
  let serving: ServingKeys;
  let small: ServingKeys;
  let tight: ServingKeys;
  before(async () => {
    database = await freshDatabase();
    serving = await serveKeys({ database });
    small = await serveKeys({ database, config: { api: { idempotency: { keys: 3 } } } });
    tight = await serveKeys({ database, config: { api: { idempotency: { answerBytes: 300, wait: 300 } } } });
  });
  after(async () => {
    await tight.stop();
    await small.stop();
    await serving.stop();
    await database.drop();
  });

  const stored = (): Promise<number> => database.db.collection('articles').countDocuments();

  for (const [index, { name, role, change, status, graphql }] of cases.entries())
    it(`${name}: ${String(status)}`, async () => {
      for (const id of [1, 2])
        await serving.admin('PUT', `/roles/${String(id)}`, { actions: [...actions, 'plugin::users-permissions.auth.callback'] });
      await serving.admin('DELETE', '/roles/1/rules');
      const user = await serving.addUser(`user${String(index)}`);
      const key = randomUUID();
      const query = 'mutation { createArticle(data: { title: "mine" }) { data { attributes { title } } } }';
      const body = graphql === true ? { query } : { data: { title: 'mine' } };
      const ask = (): Promise<Keyed> =>
        serving.keyed('POST', graphql === true ? '/graphql' : '/api/articles', {
          key,
          body,
          token: role === 1 ? user.jwt : null,
        });
      const first = await ask();
      expect([first.status, first.body.errors], first.text).to.deep.equal([200, undefined]);
      await change(serving, user.id);
      const before = await stored();
      const again = await ask();
      expect(again.status, again.text).to.equal(status);
      expect(await stored()).to.equal(before);
      const isChanged = status !== 200 || name.includes('lost');
      expect([again.replayed, again.text.includes('mine')]).to.deep.equal(isChanged ? [null, false] : ['true', true]);
      if (isChanged && graphql === true) expect(again.body.errors[0].extensions.error.name).to.equal('ForbiddenError');
    });

  it('another caller with the same key writes for itself', async () => {
    await serving.admin('PUT', '/roles/1', { actions: [...actions, 'plugin::users-permissions.auth.callback'] });
    await serving.admin('PUT', '/roles/2', { actions: [...actions, 'plugin::users-permissions.auth.callback'] });
    const [ann, bob] = [await serving.addUser('ann'), await serving.addUser('bob')];
    const key = randomUUID();
    const before = await stored();
    const tokens = [ann.jwt, bob.jwt, null, serving.key];
    for (const [index, token] of tokens.entries()) {
      const answer = await serving.keyed('POST', '/api/articles', {
        key,
        token,
        body: { data: { title: `of ${String(index)}` } },
      });
      expect([answer.status, answer.replayed]).to.deep.equal([200, null]);
    }
    expect((await stored()) - before).to.equal(tokens.length);
  });

  it('keys of the public have at least 16 characters', async () => {
    const send = (key: string): Promise<Keyed> =>
      serving.keyed('POST', '/api/articles', { key, token: null, body: { data: {} } });
    const { status, body } = await send('k'.repeat(15));
    expect([status, body.error.message]).to.deep.equal([
      400,
      'Idempotency-Key must have at least 16 characters without credentials, such as a UUID',
    ]);
    expect([(await send('k'.repeat(16))).status, (await send('k'.repeat(16))).replayed]).to.deep.equal([200, 'true']);
  });

  it('has the stored bytes after a change of the model', async () => {
    const sent = { key: randomUUID(), body: { data: { title: 'before' } } };
    const first = await serving.keyed('POST', '/api/articles', sent);
    const [article] = models;
    await storeModels(database, [{ ...article, uid: 'api::article.article', attributes: { headline: { type: 'string' } } }]);
    await serving.settled();
    const again = await serving.keyed('POST', '/api/articles', sent);
    expect([again.status, again.text, again.replayed]).to.deep.equal([200, first.text, 'true']);
    if (article !== undefined) await storeModels(database, [article]);
    await serving.settled();
  });

  it('stores a limited number of keys of one caller, and repeats those', async () => {
    const sent = (index: number) => ({ key: `bounded-${String(index)}`, body: { data: { price: index } } });
    const statuses: number[] = [];
    for (const index of [0, 1, 2, 3]) statuses.push((await small.keyed('POST', '/api/articles', sent(index))).status);
    expect(statuses).to.deep.equal([200, 200, 200, 429]);
    const refused = await small.keyed('POST', '/api/articles', sent(4));
    expect(refused.body.error.message).to.contain('api.idempotency.keys');
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect((await small.keyed('POST', '/api/articles', sent(0))).replayed).to.equal('true');
    expect((await small.keyed('POST', '/api/articles', { body: { data: { price: 9 } } })).status).to.equal(200);
    expect((await small.keyed('POST', '/api/articles', { ...sent(5), token: tight.key })).status).to.equal(200);
  });

  it('refuses an answer that is too large to be stored, and writes nothing', async () => {
    const before = await stored();
    const sent = { key: randomUUID(), token: serving.key, body: { data: { title: 'x'.repeat(300) } } };
    const refused = await tight.keyed('POST', '/api/articles', sent);
    expect([refused.status, refused.body.error.name]).to.deep.equal([413, 'PayloadTooLargeError']);
    expect(refused.body.error.message).to.contain('api.idempotency.answerBytes');
    expect(await stored()).to.equal(before);
    expect((await tight.keyed('POST', '/api/articles?fields=price', sent)).status).to.equal(200);
  });

  it('is a 409 with Retry-After while the first one is under way for longer than it waits', async () => {
    const { client, db } = database;
    const session = client.startSession();
    try {
      const sent = { key: randomUUID(), token: serving.key, body: { data: { title: 'slow' } } };
      const first = await serving.keyed('POST', '/api/articles', sent);
      const keys = db.collection<{ _id: string }>('_idempotency_keys');
      const record = { _id: String((await keys.findOne({}, { sort: { expiresAt: -1 } }))?._id) };
      await keys.deleteOne(record);
      session.startTransaction();
      await keys.insertOne({ ...record }, { session });
      const waiting = await tight.keyed('POST', '/api/articles', sent);
      expect([waiting.status, waiting.body.error.name, waiting.headers.get('retry-after')]).to.deep.equal([
        409,
        'IdempotencyError',
        '1',
      ]);
      await session.abortTransaction();
      const late = await tight.keyed('POST', '/api/articles', sent);
      expect([late.status, late.replayed, late.body.data.id === first.body.data.id]).to.deep.equal([200, null, false]);
    } finally {
      await session.endSession();
    }
  });

  it('pages of other origins may send the header and read its answer', async () => {
    const headers = {
      origin: 'https://app.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'idempotency-key',
    };
    const preflight = await fetch(`${serving.server.url}/api/articles`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).to.contain('idempotency-key');
    const { headers: answered } = await fetch(`${serving.server.url}/api/articles`, { headers: { origin: 'https://app.test' } });
    expect(answered.get('access-control-expose-headers')).to.contain('Idempotency-Replayed').and.contain('Retry-After');
  });
});
