import { expect } from 'chai';
import { createLog, type Log } from '../../support/create-log.js';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

const article = 'api::article.article';
const note = 'api::note.note';

describe('the log of a refused request', () => {
  let log: Log;
  let server: ServingAccounts;
  const tokens: Record<string, string | null> = { public: null };
  before(async () => {
    log = await createLog();
    server = await serveAccounts({
      config: { environment: 'development' },
      documents: { articles: [{ _id: 1, title: 'One', publishedAt: new Date() }] },
      logger: log.logger,
    });
    await server.admin('PUT', '/roles/2', {
      actions: [`${article}.find`, 'plugin::users-permissions.auth.callback', 'plugin::upload.content-api.upload'],
    });
    tokens['user'] = (await server.addUser('ann')).jwt;
    const made = await server.admin('POST', '/tokens', { name: 'feed', type: 'custom', permissions: [`${article}.find`] });
    tokens['token'] = made.body.data.accessKey;
  });
  after(() => server.stop());

  /** Returns the logged refusals of the work. */
  const during = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = log.lines.length;
    await work();
    return log.lines.slice(before).flatMap(({ msg, missing }) => (missing === undefined ? [] : [String(msg)]));
  };
  const grant = 'npm run mangrove -- permissions grant';

  type Case = readonly [caller: string, request: readonly [string, string, unknown?], status: number, ...expected: string[]];
  const graphql = (query: string): readonly [string, string, unknown] => ['POST', '/graphql', { query }];
  const cases: readonly Case[] = [
    ['public', ['GET', '/api/articles'], 200],
    ['public', ['GET', '/api/nothing'], 404],
    ['public', ['GET', '/api/articles/1'], 403, `the public lacks ${article}.findOne: ${grant} public ${article}.findOne`],
    [
      'user',
      ['GET', '/api/articles'],
      403,
      `the role authenticated lacks ${article}.find: ${grant} authenticated ${article}.find`,
    ],
    [
      'token',
      ['POST', '/api/articles', { data: {} }],
      403,
      `the API token feed lacks ${article}.create: npm run mangrove -- token create --type custom --action ${article}.create`,
    ],
    ['public', graphql('{ articles { data { id } } }'), 200],
    ['public', graphql('{ notes { data { id } } }'), 200, `the public lacks ${note}.find: ${grant} public ${note}.find`],
    [
      'public',
      graphql('{ articles { data { attributes { notes { data { id } } } } } }'),
      200,
      `the public lacks ${note}.find: ${grant} public ${note}.find`,
    ],
    [
      'public',
      graphql('mutation { deleteArticle(id: 1) { data { id } } }'),
      200,
      `the public lacks ${article}.delete: ${grant} public ${article}.delete`,
    ],
  ];
  for (const [caller, [method, path, body], status, ...expected] of cases)
    it(`${caller}: ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`, async () => {
      const lines = await during(async () => {
        expect((await server.as(tokens[caller] ?? null, method, path, body)).status).to.equal(status);
      });
      expect(lines).to.deep.equal(expected);
    });

  it('says what would be granted to the public instead of credentials', async () => {
    await server.admin('PUT', '/roles/2', { actions: [] });
    const lines = await during(async () => {
      expect((await server.as(null, 'GET', '/api/articles')).status).to.equal(401);
    });
    expect(lines).to.deep.equal([`the public lacks ${article}.find: ${grant} public ${article}.find`]);
  });

  it('is kept in development only', async () => {
    const other = await createLog();
    const tested = await serveAccounts({ config: { environment: 'test' }, logger: other.logger });
    try {
      expect((await tested.as(null, 'GET', '/api/articles')).status).to.equal(403);
      expect(other.lines.filter(({ missing }) => missing !== undefined)).to.deep.equal([]);
    } finally {
      await tested.stop();
    }
  });
});
