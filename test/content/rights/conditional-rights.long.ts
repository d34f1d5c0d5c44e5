import { expect } from 'chai';
import { sendTo, unless, type Tagged } from '../../support/conditional.js';
import { accountModels, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const login = 'plugin::users-permissions.auth.callback';
const actions = [
  ...['find', 'findOne', 'update'].flatMap((name) => [`api::article.article.${name}`, `api::note.note.${name}`]),
  'plugin::users-permissions.user.me',
  login,
];
const own = { owner: { id: { $eq: '$user.id' } } };
const path = '/api/articles';

/** Ann's role is 1; Bob's shows no prices; article 1 is Ann's, article 2 Bob's. */
describe('tags and rights', () => {
  let server: ServingAccounts;
  let send: ReturnType<typeof sendTo>;
  let tokens: Record<'ann' | 'bob' | 'loader', string>;
  const get = (one: string, token?: string): Promise<Tagged> => send('GET', one, token === undefined ? {} : { token });
  const again = (one: string, tag: string, token?: string): Promise<Tagged> =>
    send('GET', one, { ...unless(tag), ...(token !== undefined && { token }) });
  /** Resolves to the tag of a list after it was asked for twice, so that it is known. */
  const known = async (one: string, token?: string): Promise<string> => {
    const { tag } = await get(one, token);
    expect((await again(one, tag, token)).status).to.equal(304);
    return tag;
  };

  before(async () => {
    server = await serveAccounts({ models: accountModels });
    send = sendTo(server);
    await server.admin('PUT', '/roles/1', { actions });
    const { body: role } = await server.admin('POST', '/roles', { name: 'Guest', actions });
    const [ann, bob] = [await server.addUser('ann'), await server.addUser('bob', role.data.id)];
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    tokens = { ann: ann.jwt, bob: bob.jwt, loader: body.data.accessKey };
    for (const { id } of [ann, bob]) await server.as(tokens.loader, 'POST', path, { data: { title: 'a', price: id, owner: id } });
    const deny = { fields: { 'api::article.article': { deny: ['price'] } } };
    expect((await server.admin('PUT', `/roles/${String(role.data.id)}/rules`, deny)).status).to.equal(200);
    await server.settled();
  });
  after(() => server.stop());

  it('differ between callers who see different values', async () => {
    const tags = await Promise.all([get(path, tokens.ann), get(path, tokens.bob)]);
    expect(tags[0].tag).to.not.equal(tags[1].tag);
    for (const [index, token] of [tokens.ann, tokens.bob].entries()) {
      const other = tags[1 - index]?.tag ?? '';
      expect((await again(path, other, token)).status).to.equal(200);
      expect((await again(path, tags[index]?.tag ?? '', token)).status).to.equal(304);
    }
  });

  it('come with headers that keep answers from shared caches', async () => {
    const { headers, tag } = await get(path, tokens.ann);
    expect([headers['cache-control'], headers['vary']?.includes('Authorization')]).to.deep.equal(['private, no-cache', true]);
    expect((await again(path, tag, tokens.ann)).headers['cache-control']).to.equal('private, no-cache');
    const refused = await get('/api/articles/99', tokens.ann);
    expect([refused.status, refused.headers['cache-control']]).to.deep.equal([404, 'private, no-store']);
  });

  it('cost no command for callers with a token', async () => {
    for (const [one, token] of [
      [path, tokens.ann],
      [path, tokens.bob],
      ['/api/users/me', tokens.ann],
      [path, tokens.loader],
    ] as const) {
      const tag = await known(one, token);
      const { result, commands } = await server.countCommands(() => again(one, tag, token));
      expect([result.status, commands]).to.deep.equal([304, []]);
    }
  });

  /** What takes or narrows a right, and the status of a request with the tag that was known before. */
  const takings: readonly (readonly [
    name: string,
    caller: 'ann' | 'bob' | 'loader',
    take: () => Promise<unknown>,
    status: number,
  ])[] = [
    [
      'a field rule',
      'ann',
      () => server.admin('PUT', '/roles/1/rules', { fields: { 'api::article.article': { deny: ['title'] } } }),
      200,
    ],
    ['a row rule', 'ann', () => server.admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': own } }), 200],
    ['an action of the role', 'ann', () => server.admin('PUT', '/roles/1', { actions: actions.slice(2) }), 403],
    ['the role of the user', 'bob', () => server.admin('PUT', '/users/2', { role: 2 }), 403],
    ['a blocked user', 'ann', () => server.admin('PUT', '/users/1', { blocked: true }), 401],
    ['a deleted token', 'loader', () => server.admin('DELETE', '/tokens/1'), 401],
  ];
  for (const [name, caller, take, status] of takings)
    it(`are worth nothing after ${name}`, async () => {
      await server.admin('PUT', '/roles/1', { actions });
      const tag = await known(path, tokens[caller]);
      await take();
      expect((await again(path, tag, tokens[caller])).status).to.equal(status);
    });

  it('of the public are worth nothing without its right', async () => {
    await server.admin('PUT', '/roles/2', { actions: [...actions.slice(0, 2), login] });
    const tag = await known(path);
    await server.admin('PUT', '/roles/2', { actions: [login] });
    expect((await again(path, tag)).status).to.be.oneOf([401, 403]);
  });

  it('of a rule on the owner are of that user alone', async () => {
    await server.admin('PUT', '/users/1', { blocked: false });
    await server.admin('PUT', '/roles/1', { actions });
    await server.admin('PUT', '/roles/1/rules', { rows: { 'api::article.article': own } });
    const [ann, cyd] = [await server.addUser('ann2'), await server.addUser('cyd')];
    const tag = await known(path, ann.jwt);
    const { result, commands } = await server.countCommands(() => again(path, tag, ann.jwt));
    expect([result.status, commands]).to.deep.equal([304, []]);
    expect((await get(path, cyd.jwt)).json.data).to.deep.equal([]);
  });
});
