import { expect } from 'chai';
import { Random } from '../../scripts/random.js';
import { accountModels, adminToken, serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { untilHeard, sendTo, type Tagged } from '../support/conditional.js';

const keeping = { api: { rest: { keepAnswers: { bytes: 5_000_000, across: true } } } };

const read = ['article', 'note'].flatMap((name) => ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`));
const articles = 'api::article.article';

/** Roles by name: rules that no user's values are part of, and one whose answers nobody shares. */
const roles: Readonly<Record<string, object | null>> = {
  reader: null,
  blind: { fields: { [articles]: { deny: ['price'] } } },
  cheap: { rows: { [articles]: { price: { $lt: 50 } } } },
  owner: { rows: { [articles]: { owner: { id: { $eq: '$user.id' } } } } },
};

const query = '{ articles(sort: "id") { data { id attributes { title price notes { data { id } } } } } }';
const paths = [
  '/api/articles?sort=id&populate=notes',
  '/api/articles/1',
  '/api/articles/2?populate=*',
  '/api/articles/count',
  '/api/notes?populate=article&sort=id',
  `/graphql?query=${encodeURIComponent(query)}`,
];

interface Scene {
  readonly servers: readonly ServingAccounts[];
  /** By the name of the caller; null: without credentials. */
  readonly tokens: Readonly<Record<string, string | null>>;
  readonly writer: string;
}

async function addCallers(one: ServingAccounts): Promise<Pick<Scene, 'tokens' | 'writer'>> {
  const tokens: Record<string, string | null> = { public: null };
  await one.admin('PUT', '/roles/2', { actions: [...read, 'plugin::users-permissions.auth.callback'] });
  const hidden = { fields: { [articles]: { deny: ['owner', 'title'] } } };
  expect((await one.admin('PUT', '/roles/2/rules', hidden)).status).to.equal(200);
  for (const [name, rules] of Object.entries(roles)) {
    const { body } = await one.admin('POST', '/roles', { name, actions: read });
    const id = Number(body.data.id);
    if (rules !== null) expect((await one.admin('PUT', `/roles/${String(id)}/rules`, rules)).status).to.equal(200);
    for (const turn of [1, 2]) tokens[`${name}${String(turn)}`] = (await one.addUser(`${name}${String(turn)}`, id)).jwt;
  }
  const addToken = async (name: string, more: object): Promise<string> =>
    (await one.admin('POST', '/tokens', { name, ...more })).body.data.accessKey as string;
  tokens['readOnly'] = await addToken('r', { type: 'read-only' });
  for (const turn of [1, 2])
    tokens[`custom${String(turn)}`] = await addToken(`c${String(turn)}`, { type: 'custom', permissions: read });
  return { tokens, writer: await addToken('w', { type: 'full-access' }) };
}

const textOf = ({ status, text }: Tagged): string => `${String(status)} ${text}`;
const isHit = ({ headers }: Tagged): boolean => headers['cache-status'] === 'mangrove; hit';

describe('kept answers and their callers', () => {
  let scene: Scene;
  const get = (index: number, path: string, name: string, headers = {}): Promise<Tagged> => {
    const token = scene.tokens[name] ?? null;
    const server = scene.servers[index] as ServingAccounts; // one of two
    return sendTo(server)('GET', path, { headers, ...(token !== null && { token }) });
  };
  const anew = (index: number, path: string, name: string) => get(index, path, name, { 'cache-control': 'no-cache' });

  before(async () => {
    const one = await serveAccounts({ models: accountModels, config: keeping });
    const callers = await addCallers(one);
    for (const turn of [1, 2, 3, 4])
      await one.as(callers.writer, 'POST', '/api/articles', {
        data: { title: `t${String(turn)}`, price: 20 * turn, owner: turn },
      });
    await one.as(callers.writer, 'POST', '/api/notes', { data: { text: 'n', article: 1 } });
    const other = await serveAccounts({ models: accountModels, config: keeping, database: one.database });
    scene = { servers: [one, other], ...callers };
    await one.settled();
    await other.settled();
  });
  beforeEach(async () => {
    for (const server of scene.servers) await untilHeard(server);
  });
  after(async () => {
    await scene.servers[1]?.stop();
    await scene.servers[0]?.stop();
  });

  it('callers with equal rights share them, and nobody else', async () => {
    const [path = ''] = paths;
    const cases: readonly (readonly [first: string, second: string, isShared: boolean])[] = [
      ['public', 'public', true],
      ['reader1', 'reader2', true],
      ['blind1', 'blind2', true],
      ['cheap1', 'cheap2', true],
      ['custom1', 'custom2', true],
      ['reader1', 'blind1', false],
      ['public', 'reader1', false],
      ['readOnly', 'custom1', false],
      ['owner1', 'owner1', false],
      ['owner1', 'owner2', false],
    ];
    for (const [first, second, isShared] of cases) {
      const [server] = scene.servers;
      await server?.as(scene.writer, 'PUT', '/api/articles/4', { data: { price: 80 } });
      await server?.settled();
      await get(0, path, first);
      expect([first, second, isHit(await get(0, path, second))]).to.deep.equal([first, second, isShared]);
    }
  });

  it('a blocked user, an ended token and one that is deleted are refused', async () => {
    const [server] = scene.servers as [ServingAccounts];
    const { id, jwt } = await server.addUser('blocked', 1);
    await server.admin('PUT', '/roles/1', { actions: read });
    const { body } = await server.admin('POST', '/tokens', { name: 'gone', type: 'read-only' });
    const send = sendTo(server);
    const path = '/api/articles/1';
    await server.settled();
    for (const token of [jwt, body.data.accessKey as string]) await send('GET', path, { token });
    expect(isHit(await send('GET', path, { token: jwt }))).to.equal(true);
    await server.admin('PUT', `/users/${String(id)}`, { blocked: true });
    await server.admin('DELETE', `/tokens/${String(body.data.id)}`);
    for (const token of [jwt, body.data.accessKey as string]) expect((await send('GET', path, { token })).status).to.equal(401);
  });

  it('the rights of a role change at once', async () => {
    const [server] = scene.servers as [ServingAccounts];
    await server.admin('PUT', '/roles/1', { actions: read });
    const { jwt } = await server.addUser('changed', 1);
    const send = sendTo(server);
    const prices = async () => (await send('GET', '/api/articles/1', { token: jwt })).json.data.attributes.price as unknown;
    const before = [await prices(), await prices()];
    await server.admin('PUT', '/roles/1/rules', { fields: { [articles]: { deny: ['price'] } } });
    expect([...before, await prices()]).to.deep.equal([before[0], before[0], undefined]);
  });

  it('after random writes each answer is what is read: own writes at once, those of the other instance when they are heard of', async () => {
    const random = new Random(63);
    const names = Object.keys(scene.tokens);
    const pick = <Item>(list: readonly Item[]): Item => list[random.below(list.length)] as Item; // within the list
    let hits = 0;
    const unheard = [false, false]; // whether the other instance has written since an instance has heard of all
    for (let step = 0; step < 150; step++) {
      const index = random.below(2);
      const server = scene.servers[index] as ServingAccounts; // one of two
      const [id, price] = [String(1 + random.below(4)), random.below(100)];
      const writes: readonly (() => Promise<{ readonly status: number }>)[] = [
        () => server.as(scene.writer, 'PUT', `/api/articles/${id}`, { data: { price, title: `s${String(step)}` } }),
        () => server.as(scene.writer, 'PUT', `/api/articles/${id}`, { data: { owner: 1 + random.below(8) } }),
        () => server.as(scene.writer, 'POST', '/api/notes', { data: { text: `n${String(step)}`, article: Number(id) } }),
        () => server.as(scene.writer, 'PUT', '/api/notes/1', { data: { article: Number(id) } }),
        () =>
          server.as(scene.writer, 'POST', '/graphql', {
            query: `mutation { updateArticle(id: ${id}, data: { price: ${String(price)} }) { data { id } } }`,
          }),
        () => server.as(adminToken, 'PUT', '/admin/api/roles/2/rules', { rows: { [articles]: { price: { $gt: price } } } }),
      ];
      if (step % 3 === 0) {
        expect((await pick(writes)()).status).to.be.within(200, 201);
        unheard[1 - index] = true;
      }
      const [path, name] = [pick(paths), pick(names)];
      const where = `${path} as ${name}, step ${String(step)}`;
      const answers = [await get(index, path, name), await get(index, path, name)].map(
        (one) => [isHit(one), textOf(one)] as const,
      );
      hits += answers.filter(([isKept]) => isKept).length;
      if (unheard[index] !== true) {
        const fresh = textOf(await anew(index, path, name));
        expect(
          answers.map(([, text]) => text),
          where,
        ).to.deep.equal([fresh, fresh]);
      }
      if (unheard[index] === true && step % 4 === 0) {
        await server.settled();
        unheard[index] = false;
        expect(textOf(await get(index, path, name)), where).to.equal(textOf(await anew(index, path, name)));
      }
    }
    expect(hits).to.be.above(40);
  });
});
