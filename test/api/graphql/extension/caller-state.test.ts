import { expect } from 'chai';
import type { CallerState, PolicyContext, Register } from '#index.js';
import { serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';

/** Returns a state whose user has only the values that the cases name. */
function withKnownUser({ user, auth, ...rest }: CallerState): object {
  if (user === undefined) return { ...rest, auth: { ...auth } };
  const { id, username, email, confirmed, blocked, role } = user;
  const known = { id, username, email, confirmed, blocked, role: role && { id: role.id, name: role.name, type: role.type } };
  return { ...rest, user: known, auth: { ...auth, credentials: auth.credentials === user ? known : null } };
}

/** The caller as each place sees it in one request. */
const seen: Record<string, unknown> = {};

const register: Register = ({ strapi, graphql: { extension } }) => {
  strapi.policies.add('is-ann', ({ args, state }: PolicyContext) => args.id === String(state.user?.id));
  extension.use({
    typeDefs: 'extend type Query { whoami: String own(id: ID!): Boolean }',
    resolvers: {
      Query: {
        whoami: (_parent, _args, { state, koaContext }) => {
          Object.assign(seen, { resolver: state, koa: koaContext.state });
          return String(state.user?.username);
        },
        own: () => true,
      },
    },
    resolversConfig: {
      'Query.whoami': {
        auth: false,
        policies: [({ state, context, http }) => { Object.assign(seen, { policy: state, context: context.state, http: http.state }); }], // prettier-ignore
        middlewares: [(next, _parent, _args, context) => { seen['middleware'] = context.state; return next() as unknown; }], // prettier-ignore
      },
      'Query.own': { auth: false, policies: ['is-ann'] },
    },
  });
};

describe('the caller in the state of custom code', () => {
  let server: ServingAccounts;
  let ann: { id: number; jwt: string };
  let token: { id: number; accessKey: string };
  before(async () => {
    server = await serveAccounts({ register });
    ann = await server.addUser('ann');
    token = (await server.admin('POST', '/tokens', { name: 'app', type: 'read-only' })).body.data;
  });
  after(() => server.stop());

  const ask = async (key: string | null, query: string) => (await server.as(key, 'POST', '/graphql', { query })).body;
  const annOf = () => ({
    ...{ id: ann.id, username: 'ann', email: 'ann@mail.test', confirmed: true, blocked: false },
    role: { id: 1, name: 'Authenticated', type: 'authenticated' },
  });
  const cases: readonly (readonly [string, () => string | null, () => object])[] = [
    [
      'a user, with the role',
      () => ann.jwt,
      () => ({ user: annOf(), auth: { strategy: { name: 'users-permissions' }, credentials: annOf() }, isAuthenticated: true }),
    ],
    [
      'an API token',
      () => token.accessKey,
      () => ({
        auth: { strategy: { name: 'api-token' }, credentials: { id: token.id, name: 'app', type: 'read-only' } },
        isAuthenticated: true,
      }),
    ],
    [
      'the public',
      () => null,
      () => ({ auth: { strategy: { name: 'users-permissions' }, credentials: null }, isAuthenticated: true }),
    ],
  ];
  for (const [title, key, state] of cases)
    it(`${title}: the same in policies, middlewares, resolvers and Koa's context`, async () => {
      const { user } = state() as { user?: { username: string } };
      expect(await ask(key(), '{ whoami }')).to.deep.equal({ data: { whoami: String(user?.username) } });
      const { koa, ...others } = seen;
      expect(withKnownUser(koa as CallerState)).to.deep.include(state());
      expect(koa).to.have.property('requestId');
      if (user === undefined) expect(koa).not.to.have.property('user');
      for (const [place, one] of Object.entries(others)) expect(one, place).to.equal(koa);
    });

  it('lets a policy decide by the user', async () => {
    const passed = { data: { own: true } };
    expect(await ask(ann.jwt, `{ own(id: ${String(ann.id)}) }`)).to.deep.equal(passed);
    for (const [key, id] of [
      [ann.jwt, ann.id + 1],
      [null, ann.id],
      [token.accessKey, ann.id],
    ] as const)
      // prettier-ignore
      expect((await ask(key, `{ own(id: ${String(id)}) }`)).errors[0].message).to.equal('Policy Failed');
  });
});
