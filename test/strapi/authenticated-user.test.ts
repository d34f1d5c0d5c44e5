import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const extension = `module.exports = (plugin) => {
  const given = plugin.services.user;
  plugin.services.user = (input) => ({ ...given(input), async fetchAuthenticatedUser(id) {
    const user = await strapi.entityService.findOne('plugin::users-permissions.user', id);
    globalThis.fetched += user.username;
    const role = user.username === 'raised' ? { id: 2 } : undefined;
    return user.username === 'gone' ? null : { ...user, blocked: user.username === 'locked', role, tenant: 7 };
  } });
  return plugin;
};`;

const route = `module.exports = { routes: [{ method: 'GET', path: '/mine', handler: (ctx) => ({ name: ctx.state.user.username, tenant: ctx.state.user.tenant }) }] };`;

describe('fetchAuthenticatedUser of an extension', () => {
  let serving: ServedProject;
  before(async () => {
    const files = {
      'src/extensions/users-permissions/strapi-server.js': extension,
      'src/extensions/users-permissions/old-server.js': "throw new Error('only strapi-server is run');",
      'src/api/mine/routes/mine.js': route,
      'src/index.js': `module.exports = { register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.plugin('graphql').service('extension').use({
          typeDefs: 'type Query { tenant: Int }',
          resolvers: { Query: { tenant: (_, args, { state }) => state.user.tenant } },
          resolversConfig: { 'Query.tenant': { auth: false } },
        }); } };`,
    };
    const config = { api: { open: false }, plugins: { graphql: { enabled: true } } } as const;
    serving = await serveProject(files, { models: [], config });
    for (const action of [
      'plugin::users-permissions.user.me',
      'plugin::users-permissions.user.find',
      'plugin::upload.content-api.find',
    ])
      await serving.strapi.query('plugin::users-permissions.permission').create({ data: { action, role: 1 } });
    await serving.strapi
      .query('plugin::users-permissions.permission')
      .create({ data: { action: 'plugin::users-permissions.role.find', role: 2 } });
  });
  after(() => serving.stop());

  const answered: readonly (readonly [username: string, request: string, status: number, body: unknown])[] = [
    ['ann', '/api/mine', 200, { name: 'ann', tenant: 7 }],
    ['ann', '/api/users/me', 200, null],
    ['ann', '/api/upload/files', 200, []],
    ['ann', '/api/users-permissions/roles', 403, null],
    ['raised', '/api/users-permissions/roles', 200, null],
    ['raised', '/api/upload/files', 403, null],
    ['ann', '{ tenant }', 200, { data: { tenant: 7 } }],
    ['gone', '/api/mine', 401, null],
    ['gone', '/api/users/me', 401, null],
    ['gone', '/api/upload/files', 401, null],
    ['gone', '{ tenant }', 401, null],
    ['locked', '/api/users/me', 401, null],
    ['locked', '{ tenant }', 401, null],
  ];
  for (const [username, request, status, body] of answered)
    it(`is called once for ${username} and ${request}, and answered with ${String(status)}`, async () => {
      const users = serving.strapi.query('plugin::users-permissions.user');
      const data = { username, email: `${username}@mail.test`, provider: 'local', confirmed: true, role: 1 };
      const { id } = (await users.findOne({ where: { username } })) ?? (await users.create({ data }));
      const token = serving.strapi.plugin('users-permissions').service('jwt').issue({ id });
      Object.assign(globalThis, { fetched: '' });
      const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
      const answer = request.startsWith('/')
        ? await fetch(`${serving.server.url}${request}`, { headers })
        : await fetch(`${serving.server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: request }) });
      expect([answer.status, Reflect.get(globalThis, 'fetched')]).to.deep.equal([status, username]);
      if (body !== null) expect(await answer.json()).to.deep.equal(body);
    });
});

/** Tokens of the text `foreign.ID` are valid; those of the service are not if they are listed. */
const ownTokens = `const revoked = (globalThis.revokedTokens = new Set());
module.exports = (plugin) => {
  const given = plugin.services.jwt;
  plugin.services.jwt = (input) => {
    const base = given(input);
    return { ...base, async verify(token) {
      if (token === 'foreign.nobody') return null;
      if (token.startsWith('foreign.')) return { id: Number(token.slice(8)) || undefined };
      if (revoked.has(token)) throw new Error('revoked');
      return base.verify(token);
    } };
  };
  return plugin;
};`;

describe('verify of the service jwt of an extension', () => {
  let serving: ServedProject;
  const tokens: Record<string, string> = {};
  before(async () => {
    const files = { 'src/extensions/users-permissions/strapi-server.js': ownTokens, 'src/api/mine/routes/mine.js': route };
    serving = await serveProject(files, { models: [], config: { api: { open: false } } });
    const { strapi } = serving;
    const users = strapi.query('plugin::users-permissions.user');
    const own = (username: string, blocked = false) => ({
      username,
      email: `${username}@mail.test`,
      provider: 'local',
      confirmed: true,
      blocked,
    });
    const ids: number[] = [];
    for (const data of [own('ann'), own('bob', true)]) ids.push((await users.create({ data: { ...data, role: 1 } })).id);
    const { issue } = strapi.plugin('users-permissions').service('jwt');
    const [ann, bob] = ids;
    Object.assign(tokens, {
      ours: issue({ id: ann }),
      revoked: issue({ id: ann }, { jwtid: 'other' }),
      former: issue({ id: ann }, { jwtid: 'former' }),
    });
    Object.assign(tokens, { foreign: `foreign.${String(ann)}`, blocked: `foreign.${String(bob)}`, unknown: 'foreign.999' });
    Object.assign(tokens, { nameless: 'foreign.x', nobody: 'foreign.nobody', wrong: 'a.b.c' });
    (Reflect.get(globalThis, 'revokedTokens') as Set<string>).add(tokens['revoked'] ?? '');
    for (const role of [1, 2])
      await strapi
        .query('plugin::users-permissions.permission')
        .create({ data: { action: 'plugin::upload.content-api.find', role } });
  });
  after(() => serving.stop());

  const cases: readonly (readonly [token: string, status: number])[] = [
    ...([
      ['ours', 200],
      ['foreign', 200],
      ['revoked', 401],
      ['blocked', 401],
      ['unknown', 401],
    ] as const),
    ...([
      ['nameless', 401],
      ['wrong', 401],
      ['nobody', 200],
    ] as const),
  ];
  for (const [name, status] of cases)
    it(`decides about a token: ${name} is answered with ${String(status)}`, async () => {
      const headers = { authorization: `Bearer ${tokens[name] ?? ''}` };
      const answer = await fetch(`${serving.server.url}/api/upload/files`, { headers });
      expect(answer.status).to.equal(status);
    });

  it('refuses a token that the service has issued as a revoked one, which a log-in ignores', async () => {
    const headers = { authorization: `Bearer ${tokens['revoked'] ?? ''}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ identifier: 'ann', password: 'wrong' });
    const answer = await fetch(`${serving.server.url}/api/auth/local`, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    expect([answer.status, error.message]).to.deep.equal([400, 'Invalid identifier or password']);
  });

  it('leaves the tokens of a former password invalid', async () => {
    const headers = { authorization: `Bearer ${tokens['former'] ?? ''}` };
    const request = () => fetch(`${serving.server.url}/api/upload/files`, { headers });
    expect((await request()).status).to.equal(200);
    const { id } = await serving.strapi.query('plugin::users-permissions.user').findOne({ where: { username: 'ann' } });
    await serving.strapi.plugin('users-permissions').service('user').edit(id, { password: 'another-secret' });
    expect((await request()).status).to.equal(401);
  });
});

const userModel = {
  uid: 'plugin::users-permissions.user',
  kind: 'collectionType',
  collectionName: 'up_users',
  info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
  attributes: { tenant: { type: 'integer' }, badge: { type: 'string', private: true }, born: { type: 'date' } },
};

/** What code reads of `ctx.state.user`, and the value. */
const values: readonly (readonly [code: string, value: unknown])[] = [
  ['user.tenant', 7],
  ['user.badge', 'b1'],
  ['user.born', '1980-01-02'],
  ['user.provider', 'local'],
  ['user.createdAt', '2020-01-01T00:00:00.000Z'],
  ['user.password', '$2a$10$hash'],
  ['user.role.type', 'authenticated'],
  ['user.role.description', 'Default role given to authenticated user.'],
  ['Object.keys(user).some((name) => name.startsWith("_"))', false],
  ['{ ...state }.user.tenant', 7],
  ['state.auth.credentials === user', true],
  ['(user.tenant = 9)', 9],
  ['user.tenant', 7],
  ['(state.user = { id: 5 }).id + state.user.id', 10],
  ['Object.keys(state).includes("user")', true],
];

describe('ctx.state.user', () => {
  let serving: ServedProject;
  let token: unknown;
  before(async () => {
    const read = (code: string) =>
      `((state) => { const { user } = state; return new Function('state', 'user', 'return ' + ${code})(state, user); })`;
    const files = {
      'config/middlewares.js': "module.exports = ['strapi::errors', 'global::after'];",
      'src/middlewares/after.js': `module.exports = () => async (ctx, next) => {
        await next();
        if (ctx.query.after) ctx.body = { value: ${read('ctx.query.after')}(ctx.state), params: ctx.params, path: ctx.state.route.path }; };`,
      'src/api/mine/routes/mine.js': `module.exports = { routes: [
        { method: 'GET', path: '/mine', handler: (ctx) => ({ value: ${read('ctx.query.code')}(ctx.state) }) }] };`,
      'src/index.js': `module.exports = { register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.plugin('graphql').service('extension').use({
          typeDefs: 'type Query { mine(code: String): JSON }',
          resolvers: { Query: { mine: (_, { code }, { state }) => ({ value: ${read('code')}(state) }) } },
          resolversConfig: { 'Query.mine': { auth: true } },
        }); } };`,
    };
    const user = { _id: 3, username: 'ann', email: 'ann@mail.test', provider: 'local', confirmed: true, blocked: false, role: 1 };
    const own = {
      tenant: 7,
      badge: 'b1',
      born: '1980-01-02',
      password: '$2a$10$hash',
      createdAt: new Date('2020-01-01'),
    };
    serving = await serveProject(files, {
      models: [userModel],
      documents: { up_users: [{ ...user, ...own }] },
      config: { api: { open: false }, plugins: { graphql: { enabled: true } } },
    });
    token = serving.strapi.plugin('users-permissions').service('jwt').issue({ id: 3 });
  });
  after(() => serving.stop());

  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
    const asked = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of code
    return (await (await fetch(`${serving.server.url}${path}`, asked)).json()) as any;
  };

  for (const [code, value] of values)
    it(`has all values over every way: ${code}`, async () => {
      const asked = encodeURIComponent(code);
      expect(await ask(`/api/mine?code=${asked}`)).to.deep.equal({ value });
      expect(await ask(`/api/users/3?after=${asked}`)).to.deep.equal({ value, params: { id: '3' }, path: '/users/:id' });
      const query = 'query ($code: String) { mine(code: $code) }';
      expect((await ask('/graphql', { query, variables: { code } })).data).to.deep.equal({ mine: { value } });
    });

  it('takes no command of a request, and follows changes of the user', async () => {
    await serving.settled();
    await ask('/api/mine?code=user.tenant');
    const { commands, result } = await serving.countCommands(() => ask('/api/mine?code=user.tenant'));
    expect([commands, result]).to.deep.equal([[], { value: 7 }]);
    await serving.strapi.query('plugin::users-permissions.user').update({ where: { id: 3 }, data: { tenant: 8 } });
    expect(await ask('/api/mine?code=user.tenant')).to.deep.equal({ value: 8 });
  });
});
