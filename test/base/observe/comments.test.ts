import { expect } from 'chai';
import type { CommandStartedEvent, Document } from 'mongodb';
import { adminToken, password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

/** Commands without a comment: those of the driver itself, and those whose comment the driver does not take. */
const ofDriver: ReadonlySet<string> = new Set(['hello', 'ping', 'endSessions', 'commitTransaction', 'abortTransaction']);

/** Work of the instance after a change, which no request sends: it follows the log, and reads the models again. */
const ofService: ReadonlySet<string> = new Set([
  '_models',
  '_settings',
  'i18n_locales',
  '_model_status',
  '_collections',
  '_required',
]);

const model = {
  ...{ uid: 'api::page.page', kind: 'collectionType', collectionName: 'pages' },
  ...{ info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' }, attributes: { text: { type: 'string' } } },
};

const form = (): FormData => {
  const body = new FormData();
  body.append('files', new Blob(['some text '.repeat(40_000)]), 'a.txt');
  return body;
};

interface Call {
  readonly token: 'admin' | 'full' | 'user' | 'panel' | 'public';
  readonly at: string;
  readonly body?: unknown;
}

/** Requests of all kinds, in order. `ID` stands for the id in the last answer. */
const calls: readonly Call[] = [
  { token: 'full', at: 'GET /api/articles' },
  { token: 'full', at: 'POST /api/articles', body: { data: { title: 'a', price: 1 } } },
  { token: 'full', at: 'PUT /api/articles/1', body: { data: { title: 'b' } } },
  { token: 'full', at: 'POST /api/notes', body: { data: { text: 'n', article: 1 } } },
  { token: 'full', at: 'GET /api/articles?populate=*&filters[notes][text]=n&sort=title' },
  { token: 'full', at: 'GET /api/articles/count' },
  {
    token: 'full',
    at: 'POST /api/batch',
    body: { transaction: true, requests: [{ method: 'POST', path: '/articles', body: { data: { title: 'c' } } }] },
  },
  { token: 'full', at: 'POST /graphql', body: { query: 'mutation { createArticle(data: { title: "g" }) { data { id } } }' } },
  { token: 'full', at: 'POST /graphql', body: { query: '{ articles { data { id } meta { pagination { total } } } }' } },
  { token: 'full', at: 'GET /api/users' },
  { token: 'full', at: 'POST /api/users', body: { username: 'bob', email: 'bob@mail.test', password, role: 1 } },
  { token: 'full', at: 'GET /api/i18n/locales' },
  { token: 'full', at: 'POST /api/upload', body: form },
  { token: 'full', at: 'GET /api/upload/files' },
  { token: 'public', at: 'GET FILE' },
  { token: 'full', at: 'DELETE /api/upload/files/1' },
  { token: 'full', at: 'DELETE /api/articles/1' },
  { token: 'user', at: 'GET /api/users/me' },
  { token: 'public', at: 'POST /api/auth/local', body: { identifier: 'ada', password } },
  { token: 'admin', at: 'GET /admin/api/status' },
  { token: 'admin', at: 'GET /admin/api/audit' },
  { token: 'admin', at: 'POST /admin/api/roles', body: { name: 'Editor', description: 'edits' } },
  { token: 'admin', at: 'GET /admin/api/roles' },
  { token: 'admin', at: 'PUT /admin/api/settings', body: { advanced: { unique_email: true } } },
  { token: 'admin', at: 'POST /admin/api/locales', body: { code: 'fr' } },
  { token: 'admin', at: 'POST /admin/api/models/validate', body: model },
  { token: 'admin', at: 'GET /api/articles?explain=true' },
  { token: 'public', at: 'POST /admin/login', body: { email: 'ida@mail.test', password: 'Password1' } },
  { token: 'panel', at: 'GET /admin/users/me' },
  { token: 'panel', at: 'GET /content-manager/collection-types/api::article.article' },
];

describe('comments of commands', () => {
  let serving: ServingAccounts;
  let sent: { readonly name: string; readonly command: Document }[] = [];
  const tokens: Record<Call['token'], string | null> = { admin: adminToken, full: null, user: null, panel: null, public: null };
  let file = '';
  before(async () => {
    const config = {
      server: { slowRequest: 1_000_000 }, // so that commands are observed
      plugins: { 'users-permissions': { config: { jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef' } } },
    };
    serving = await serveAccounts({ config });
    serving.server.backend?.store.database.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      if (!ofDriver.has(commandName)) sent.push({ name: commandName, command });
    });
    tokens.user = (await serving.addUser('ada')).jwt;
    const ida = { email: 'ida@mail.test', firstname: 'Ida', password: 'Password1' };
    const registered = await serving.as(null, 'POST', '/admin/register-admin', ida);
    tokens.panel = String(registered.body.data.token);
    const made = await serving.admin('POST', '/tokens', { name: 'full', type: 'full-access' });
    tokens.full = String(made.body.data.accessKey);
  });
  after(() => serving.stop());

  const isOwn = ({ name, command }: (typeof sent)[number]): boolean =>
    name !== 'getMore' &&
    !name.endsWith('Indexes') &&
    !ofService.has(String(command[name])) &&
    !String(command['comment']).startsWith('job ');

  for (const { token, at, body } of calls)
    it(`${at} with the token ${token}`, async () => {
      const [method = '', path = ''] = at.split(' ');
      const requestId = `request-${String(calls.findIndex((call) => call.at === at && call.body === body))}`;
      await serving.settled();
      sent = [];
      const isForm = typeof body === 'function';
      const answer = await fetch(`${serving.server.url}${path === 'FILE' ? file : path}`, {
        method,
        headers: {
          'x-request-id': requestId,
          ...(tokens[token] !== null && { authorization: `Bearer ${tokens[token]}` }),
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: isForm ? (body as () => FormData)() : JSON.stringify(body) }),
      });
      const text = await answer.text();
      expect(answer.status, text).to.be.lessThan(300);
      if (path === '/api/upload') file = String((JSON.parse(text) as readonly { readonly url: string }[])[0]?.url);
      // work of an earlier request may go on behind its answer
      const others = sent.filter((one) => isOwn(one) && !/^request-\d+$/.test(String(one.command['comment'])));
      expect(others.map(({ name, command }) => `${name} ${String(command[name])}: ${String(command['comment'])}`)).to.deep.equal(
        [],
      );
    });

  it('are of the job for the commands of jobs', async () => {
    const { backend } = serving.server;
    if (backend === null) throw new Error('the service does not run');
    sent = [];
    const run = new Promise<void>((resolve) => {
      const job = { name: 'test of comments', every: 60_000, isEager: true, lease: true } as const;
      backend.jobs.start({ ...job, run: () => Promise.resolve(resolve()) });
    });
    await run;
    const claims = sent.filter(({ command }) => Object.values(command).includes('_claims'));
    expect(claims.map(({ command }) => String(command['comment']))).to.include('job test of comments');
  });
});
