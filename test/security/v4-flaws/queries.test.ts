import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { serveProject } from '../../support/serve-project.js';
import { collectionType } from '../../support/collection-type.js';

const article = 'api::article.article';

/** Published flaws of Strapi by which callers read values that they may not see. The page docs/security-of-v4.md names these tests. */
describe('flaws of Strapi v4: queries', () => {
  let server: ServingAccounts;
  let reader: string;

  before(async () => {
    server = await serveAccounts();
    const users = 'plugin::users-permissions.user';
    await server.admin('PUT', '/roles/1', {
      actions: [`${article}.find`, 'api::note.note.find', `${users}.find`, `${users}.me`],
    });
    await server.admin('PUT', '/roles/2', { actions: [`${article}.find`, 'plugin::users-permissions.auth.callback'] });
    reader = (await server.addUser('reader')).jwt;
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    await server.as(body.data.accessKey, 'POST', '/api/articles', { data: { title: 'one', price: 7, owner: 1 } });
    await server.as(body.data.accessKey, 'POST', '/api/notes', { data: { text: 'n', article: 1 } });
    await server.database.db.collection('up_users').updateMany({}, { $set: { resetPasswordToken: 'r'.repeat(64) } });
    await server.database.db.collection('articles').updateMany({}, { $set: { createdBy: 1, updatedBy: 1 } });
    const administrator = { email: 'editor@mail.test', resetPasswordToken: 'r'.repeat(64) };
    await server.database.db.collection<{ _id: number }>('admin_users').insertOne({ _id: 1, ...administrator });
  });
  after(() => server.stop());

  const get = (query: string, token: string | null = null) => server.as(token, 'GET', `/api/articles?${query}`);

  it('CVE-2023-22894: filters do not compare secrets of users and creators', async () => {
    for (const name of ['owner', 'createdBy', 'updatedBy'])
      for (const secret of ['password', 'resetPasswordToken', 'confirmationToken'])
        for (const token of [null, reader])
          expect((await get(`filters[${name}][${secret}][$startsWith]=r`, token)).status, name).to.equal(400);
    expect((await server.as(reader, 'GET', '/api/users?filters[password][$startsWith]=$2')).status).to.equal(400);
  });

  it('CVE-2023-34235: keys of filters are names of attributes, without prefixes or paths', async () => {
    for (const key of [
      '[owner][t1.password]',
      '[t1.password]',
      '[owner.password]',
      '[owner][_password]',
      '[t1.title]',
      '[owner][t1.username]',
      '[updatedBy][t1.email]',
    ])
      expect((await get(`filters${key}[$startsWith]=$`, reader)).status, key).to.equal(400);
  });

  /** The number of entries by each first letter of a code that a parameter names: equal unless the letter is compared. */
  const totals = (parameter: string): Promise<number[]> =>
    Promise.all(
      ['r', 'x'].map(async (letter) => {
        const { body } = await get(`${parameter}[updatedBy][resetPasswordToken][$startsWith]=${letter}`);
        return body.meta.pagination.total as number;
      }),
    );

  it('CVE-2026-27886: the parameter where selects nothing', async () => {
    expect(await totals('where')).to.deep.equal([1, 1]);
  });

  it('CVE-2024-56143: the parameter lookup selects nothing', async () => {
    expect(await totals('lookup')).to.deep.equal([1, 1]);
  });

  it('CVE-2023-48218: populate shows no field that the rules of a role hide', async () => {
    await server.admin('PUT', '/roles/1/rules', { fields: { [article]: { deny: ['price'] } } });
    for (const query of ['populate=*', 'populate[owner][populate]=*', 'populate[notes][populate][article]=true']) {
      const { status, body } = await get(query, reader);
      expect([status, body.data.length]).to.deep.equal([200, 1]);
      expect(JSON.stringify(body)).to.not.match(/"price"|"password"|rrrr/);
    }
    for (const query of ['fields=price', 'populate[notes][populate][article][fields]=price', 'filters[price]=7', 'sort=price'])
      expect((await get(query, reader)).status, query).to.equal(400);
    await server.admin('PUT', '/roles/1/rules', {});
  });
});

/** A type whose attributes code replaces by a copy. */
const models = [
  collectionType('note', { text: { type: 'string' }, secret: { type: 'string', private: true }, code: { type: 'password' } }),
];

const index = `module.exports = {
  register({ strapi }) {
    strapi.container.get('content-types').extend('api::note.note', (type) => ({ ...type, attributes: { ...type.attributes, more: { type: 'string' } } }));
    strapi.contentTypes['plugin::users-permissions.user'] &&
      (strapi.contentTypes['plugin::users-permissions.user'].attributes = { ...strapi.contentTypes['plugin::users-permissions.user'].attributes });
  },
};`;

describe('flaws of Strapi v4: extended types', () => {
  it('CVE-2023-34093: attributes stay private when code replaces the object of a type', async () => {
    const serving = await serveProject({ 'src/index.js': index }, { models });
    try {
      const data = { text: 'a', secret: 'hidden', code: 'Hidden123', more: 'shown' };
      await serving.call('POST', '/api/notes', { data });
      const { body } = await serving.call('GET', '/api/notes');
      expect(body.data[0].attributes).to.include({ text: 'a', more: 'shown' }).and.not.have.any.keys('secret', 'code');
      expect((await serving.call('GET', '/api/notes?filters[secret]=hidden')).status).to.equal(400);
      const user = { username: 'ann', email: 'ann@mail.test', password };
      const made = await serving.call('POST', '/api/auth/local/register', user);
      expect(made.status).to.equal(200);
      expect(made.body.user).to.not.have.any.keys('password', 'resetPasswordToken', 'confirmationToken');
    } finally {
      await serving.stop();
    }
  });
});
