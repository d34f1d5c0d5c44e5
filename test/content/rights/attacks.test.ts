import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const users = 'plugin::users-permissions.user';
const auth = ['callback', 'register', 'forgotPassword', 'resetPassword', 'emailConfirmation', 'sendEmailConfirmation', 'connect'];
const authActions = auth.map((name) => `plugin::users-permissions.auth.${name}`);

type Stored = { _id: number } & Record<string, unknown>;

describe('attacks', () => {
  let server: ServingAccounts;
  /** May find and change articles. */
  let reader: string;
  /** May find users as well. */
  let knower: string;

  before(async () => {
    server = await serveAccounts();
    const articles = ['find', 'findOne', 'create', 'update'].map((action) => `api::article.article.${action}`);
    const own = [...articles, `${users}.me`, 'plugin::users-permissions.auth.changePassword'];
    await server.admin('PUT', '/roles/1', { actions: own });
    await server.admin('PUT', '/roles/2', { actions: authActions });
    await server.admin('POST', '/roles', { name: 'Knower', actions: [...own, `${users}.find`, `${users}.count`] });
    reader = (await server.addUser('reader')).jwt;
    knower = (await server.addUser('knower', 3)).jwt;
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    await server.as(body.data.accessKey, 'POST', '/api/articles', { data: { title: 'one', owner: 1 } });
    const codes = { resetPasswordToken: 'r'.repeat(64), confirmationToken: 'c'.repeat(64) };
    await server.database.db.collection('up_users').updateMany({}, { $set: codes });
  });
  after(() => server.stop());

  describe('by a query', () => {
    const secrets = ['password', 'resetPasswordToken', 'confirmationToken', '_tokenVersion', '_subject', '_ranks'];
    const refused = [
      ...secrets.flatMap((name) => [
        `articles?filters[owner][${name}][$startsWith]=$`,
        `articles?filters[$or][0][owner][${name}][$notNull]=true`,
        `articles?filters[$not][owner][$and][0][${name}][$null]=true`,
        `articles?sort=owner.${name}`,
        `articles?populate[owner][fields]=${name}`,
        `articles?populate[owner][filters][${name}][$notNull]=true`,
        `articles?populate[owner][sort]=${name}`,
        `users?filters[${name}][$contains]=a`,
        `users?sort=${name}:desc`,
        `users?fields=${name}`,
        `users/count?${name}=a`,
        `users/me?fields=${name}`,
      ]),
      ...['createdBy', 'updatedBy'].flatMap((name) => [
        `articles?filters[${name}][email][$contains]=a`,
        `articles?filters[${name}][id][$notNull]=true`,
        `articles?sort=${name}.email`,
        `users?filters[${name}][resetPasswordToken][$startsWith]=r`,
      ]),
      ...['role', 'owner.role', 'notes'].map((path) => `articles?sort=${path}.id`),
      'articles?filters[owner][role][name]=Public',
      'articles?filters[owner.email][$eq]=reader@mail.test',
      'articles?filters[owner][t1.password][$startsWith]=$',
      'articles?filters[__proto__][password]=x',
      'articles?filters[constructor][name]=x',
      'articles?filters[owner][$where]=sleep(1)',
      'users?filters[role][name]=Public',
    ];
    for (const path of refused)
      it(`refuses ${path}`, async () => {
        expect((await server.as(knower, 'GET', `/api/${path}`)).status).to.equal(400);
      });

    for (const query of ['filters[owner][username]=reader', 'filters[owner][id]=1', 'sort=owner.username', 'sort=owner.id'])
      it(`refuses ${query} without the right to find users`, async () => {
        expect((await server.as(reader, 'GET', `/api/articles?${query}`)).status).to.equal(400);
      });

    const ignored = [
      'populate=owner,createdBy,updatedBy',
      'populate=*',
      'populate[owner][populate][role][populate]=*',
      'where[updatedBy][resetPasswordToken][$startsWith]=r',
      'lookup[updatedBy][password][$startsWith]=$',
    ];
    for (const query of ignored)
      it(`hides users from ${query} without the right to find them`, async () => {
        const { status, body } = await server.as(reader, 'GET', `/api/articles?${query}`);
        expect(status).to.equal(200);
        expect(body.data).to.have.length(1);
        expect(body.data[0].attributes).to.not.have.any.keys('owner', 'createdBy', 'updatedBy');
      });

    for (const path of ['users?populate=*', 'articles?populate[owner][populate]=*', 'users/me?populate=*'])
      it(`shows no secret for ${path}`, async () => {
        const { status, body } = await server.as(knower, 'GET', `/api/${path}`);
        expect(status).to.equal(200);
        expect(JSON.stringify(body))
          .to.match(/@mail\.test/)
          .and.not.match(/\$2b\$|rrrr|cccc|Authenticated|_ranks|_token/);
      });

    it('finds no secret for _q', async () => {
      for (const text of ['$2b', 'rrrr', 'cccc']) {
        const { body } = await server.as(knower, 'GET', `/api/users?_q=${encodeURIComponent(text)}`);
        expect(body).to.deep.equal([]);
      }
    });

    it('takes patterns literally', async () => {
      for (const pattern of ['(a+)+$', '^one', 'o.e', '[a-z]*', '(?i)ONE', '.*'])
        for (const operator of ['$contains', '$containsi', '$startsWith', '$eqi']) {
          const path = `/api/articles?filters[title][${operator}]=${encodeURIComponent(pattern)}`;
          expect((await server.as(reader, 'GET', path)).body.data, path).to.deep.equal([]);
        }
    });
  });

  describe('over GraphQL', () => {
    const send = async (token: string | null, query: string) => server.as(token, 'POST', '/graphql', { query });

    for (const [name, query] of Object.entries({
      'users through a relation': '{ articles { data { attributes { owner { data { attributes { email } } } } } } }',
      'users through a single entry': '{ article(id: 1) { data { attributes { owner { data { id } } } } } }',
      'users by a filter': '{ articles(filters: { owner: { username: { eq: "reader" } } }) { data { id } } }',
      'users by a sort': '{ articles(sort: "owner.username") { data { id } } }',
      'users at the root': '{ usersPermissionsUsers { data { attributes { email } } } }',
      'roles at the root': '{ usersPermissionsRoles { data { attributes { name } } } }',
      'users in the answer of a write':
        'mutation { updateArticle(id: 1, data: { price: 3 }) { data { attributes { owner { data { attributes { email } } } } } } }',
    }))
      it(`shows no ${name} without the right to find them`, async () => {
        const { body } = await send(reader, query);
        const shown = JSON.stringify(body.data ?? null);
        expect(shown).to.not.match(/@mail|"owner":\{"data":\{|Authenticated/);
        if (/filters|sort|Permissions/.test(query)) expect(body.errors).to.have.length(1);
      });

    for (const query of [
      '{ usersPermissionsUsers { data { attributes { password } } } }',
      '{ usersPermissionsUsers { data { attributes { resetPasswordToken } } } }',
      '{ usersPermissionsUsers(filters: { password: { startsWith: "$" } }) { data { id } } }',
      '{ usersPermissionsUsers(filters: { confirmationToken: { notNull: true } }) { data { id } } }',
      '{ usersPermissionsUsers(sort: "password") { data { id } } }',
      '{ articles(filters: { owner: { resetPasswordToken: { startsWith: "r" } } }) { data { id } } }',
      '{ articles(filters: { createdBy: { email: { contains: "a" } } }) { data { id } } }',
      'mutation { updateUsersPermissionsUser(id: 1, data: { role: 3 }) { data { id } } }',
      'mutation { updateUsersPermissionsRole(id: 1, data: { name: "mine" }) { ok } }',
      'mutation { deleteUsersPermissionsUser(id: 1) { data { id } } }',
      'mutation { login(input: { identifier: { gt: "" }, password: "x" }) { jwt } }',
    ])
      it(`refuses ${query}`, async () => {
        const { body } = await send(knower, query);
        expect(body.errors).to.have.length(1);
        expect(JSON.stringify(body)).to.not.match(/\$2b\$|rrrr|cccc/);
      });
  });

  describe('by a body', () => {
    const odd: readonly unknown[] = [{ $gt: '' }, { $ne: null }, ['reader', 'knower'], {}, [], 1, true, null];
    const routes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      '/local': { identifier: 'reader', password },
      '/local/register': { username: 'odd', email: 'odd@mail.test', password },
      '/forgot-password': { email: 'reader@mail.test' },
      '/reset-password': { code: 'x', password, passwordConfirmation: password },
      '/send-email-confirmation': { email: 'reader@mail.test' },
    };
    for (const [route, fields] of Object.entries(routes))
      for (const name of Object.keys(fields))
        it(`refuses a value that is not a string as ${name} of ${route}`, async () => {
          for (const value of odd) {
            const { status, body } = await server.as(null, 'POST', `/api/auth${route}`, { ...fields, [name]: value });
            expect([status, body.error.name], JSON.stringify(value)).to.deep.equal([400, 'ValidationError']);
          }
        });

    it('refuses a confirmation code that is not a string', async () => {
      for (const query of ['confirmation[$ne]=x', 'confirmation[]=x', 'confirmation[0][$gt]=', ''])
        expect((await server.as(null, 'GET', `/api/auth/email-confirmation?${query}`)).status, query).to.equal(400);
    });

    it('refuses stored hashes as codes', async () => {
      const body = { code: 'r'.repeat(64), password, passwordConfirmation: password };
      expect((await server.as(null, 'POST', '/api/auth/reset-password', body)).status).to.equal(400);
      expect((await server.as(null, 'GET', `/api/auth/email-confirmation?confirmation=${'c'.repeat(64)}`)).status).to.equal(400);
    });

    for (const email of [
      'a\r\nBcc: b@mail.test@x.test',
      'a@mail.test\r\nBcc: b@x.test',
      'a@x.test,b@x.test',
      '<a@x.test>',
      'a"@x.test',
    ])
      it(`refuses the address ${JSON.stringify(email)}`, async () => {
        const { status } = await server.as(null, 'POST', '/api/auth/local/register', { username: 'header', email, password });
        expect(status).to.equal(400);
      });

    it('registers every user with the default role and values, whatever the body contains', async () => {
      const more = {
        role: 3,
        confirmed: false,
        blocked: true,
        provider: 'github',
        id: 1,
        _id: 1,
        _tokenVersion: 9,
        _rules: {},
        _subject: 'x',
        resetPasswordToken: 'mine',
        confirmationToken: 'mine',
        createdAt: '2000-01-01T00:00:00.000Z',
        createdBy: 1,
      };
      const text = JSON.stringify({ username: 'mallory', email: 'mallory@mail.test', password, ...more });
      const polluted = text.replace(/^\{/, '{"__proto__":{"role":3,"blocked":false},"constructor":{"prototype":{"role":3}},');
      const answers = await Promise.all(
        [text, polluted].map((body, index) => register(body.replaceAll('mallory', `mallory${String(index)}`))),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 400]);
      const stored = await server.database.db.collection('up_users').findOne({ username: 'mallory0' });
      expect(stored).to.include({ role: 1, confirmed: true, blocked: false, provider: 'local' });
      expect(stored)
        .to.include({ resetPasswordToken: null, confirmationToken: null })
        .and.not.have.any.keys('_rules', '_subject', '_tokenVersion');
      expect(stored?.['createdAt']).to.be.greaterThan(new Date(2020, 0));
    });

    const register = (body: string): Promise<Response> =>
      fetch(`${server.server.url}/api/auth/local/register`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });

    it('writes no system value', async () => {
      const data = {
        title: 'mine',
        id: 500,
        _id: 500,
        createdAt: '2000-01-01T00:00:00.000Z',
        createdBy: 1,
        _group: 1,
        $set: { price: 9 },
        'a.b': 1,
      };
      const { body } = await server.as(reader, 'POST', '/api/articles', { data });
      const stored = await server.database.db.collection<Stored>('articles').findOne({ _id: body.data.id });
      expect(stored?._id).to.not.equal(500);
      expect(stored).to.include({ title: 'mine', price: null }).and.not.have.any.keys('_group', '$set', 'a.b', 'a');
      expect(stored?.['createdBy'] ?? null).to.equal(null);
    });

    it('links no entry of a type that the caller may not find', async () => {
      const { body } = await server.as(reader, 'POST', '/api/articles', { data: { title: 'linked', owner: 2 } });
      const stored = await server.database.db.collection<Stored>('articles').findOne({ _id: body.data.id });
      expect(stored?.['owner']).to.equal(null);
    });

    for (const [method, path] of [
      ['PUT', '/api/users/1'],
      ['POST', '/api/users'],
      ['DELETE', '/api/users/1'],
      ['PUT', '/api/users-permissions/roles/1'],
      ['POST', '/api/users-permissions/roles'],
      ['GET', '/api/users-permissions/roles'],
      ['GET', '/api/users-permissions/permissions'],
      ['GET', '/api/content-type-builder/content-types'],
      ['POST', '/api/upload'],
      ['GET', '/api/upload/files'],
    ] as const)
      it(`refuses ${method} ${path} to callers without the right`, async () => {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { role: 3, permissions: {} };
        expect((await server.as(reader, method, path, body)).status).to.equal(403);
      });

    it('changes nobody by the name of the caller', async () => {
      expect((await server.as(reader, 'PUT', '/api/users/me', { role: 3 })).status).to.equal(405);
    });

    it('refuses a second role of the type public', async () => {
      const { body: made } = await server.admin('POST', '/tokens', { name: 'roles', type: 'full-access' });
      for (const send of [
        () => server.as(made.data.accessKey, 'POST', '/api/users-permissions/roles', { name: 'Fake', type: 'public' }),
        () => server.admin('POST', '/roles', { name: 'Fake', type: 'public' }),
      ]) {
        const { status, body } = await send();
        expect([status, body.error.message]).to.deep.equal([400, 'This attribute must be unique']);
      }
    });

    it('does not let a role be given rules over the content API', async () => {
      const { body: made } = await server.admin('POST', '/tokens', { name: 'rules', type: 'full-access' });
      const body = { name: 'Ruled', description: '', permissions: {}, _rules: null, rules: {}, users: [1], __type: 'x' };
      await server.as(made.data.accessKey, 'POST', '/api/users-permissions/roles', body);
      const stored = await server.database.db.collection('up_roles').findOne({ name: 'Ruled' });
      expect(stored).to.have.all.keys('_id', 'name', 'description', 'type', 'createdAt', 'updatedAt', '_grants');
    });
  });

  describe('by a token', () => {
    it('refuses one that was revoked, has expired, or belongs to the admin API', async () => {
      const make = async (type: string, lifespan: number | null = null) =>
        (await server.admin('POST', '/tokens', { name: `${type} ${String(lifespan)}`, type, lifespan })).body.data;
      const revoked = await make('full-access');
      const expired = await make('full-access', 1);
      const admin = await make('admin');
      expect((await server.as(revoked.accessKey, 'GET', '/api/articles')).status).to.equal(200);
      await server.admin('DELETE', `/tokens/${String(revoked.id)}`);
      for (const { accessKey } of [revoked, expired, admin])
        expect((await server.as(accessKey, 'GET', '/api/articles')).status).to.equal(401);
    });

    it('allows a custom token its actions only, also in relations', async () => {
      const permissions = ['api::article.article.find'];
      const { body } = await server.admin('POST', '/tokens', { name: 'custom', type: 'custom', permissions });
      const token: string = body.data.accessKey;
      expect((await server.as(token, 'GET', '/api/articles?populate=*')).body.data[0].attributes).to.not.have.property('owner');
      for (const path of ['/api/articles/1', '/api/users', '/api/notes'])
        expect((await server.as(token, 'GET', path)).status, path).to.equal(403);
      expect((await server.as(token, 'POST', '/api/articles', { data: { title: 'x' } })).status).to.equal(403);
    });

    it('refuses the actions of a deleted role to its users', async () => {
      const { body } = await server.admin('POST', '/roles', { name: 'Short', actions: [`${users}.me`] });
      const { jwt } = await server.addUser('short', body.data.id);
      expect((await server.as(jwt, 'GET', '/api/users/me')).status).to.equal(200);
      await server.admin('DELETE', `/roles/${String(body.data.id)}`);
      expect((await server.as(jwt, 'GET', '/api/users/me')).status).to.equal(403);
    });
  });
});
