import { expect } from 'chai';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { serveAccounts, storedUser, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';

/** Requests of all parts of the service, and what sends them. */
const requests: readonly (readonly [by: 'nobody' | 'user' | 'admin', method: string, path: string, body?: object])[] = [
  ['user', 'GET', '/api/articles'],
  ['user', 'POST', '/api/articles', { data: { title: 'new' } }],
  ['user', 'POST', '/api/articles', { data: { title: 'linked', notes: [1] } }],
  ['user', 'GET', '/api/users/me'],
  ['user', 'POST', '/graphql', { query: '{ articles { data { id } } }' }],
  [
    'user',
    'POST',
    '/api/auth/change-password',
    { currentPassword: 'a-b-c-d', password: 'e-f-g-h', passwordConfirmation: 'e-f-g-h' },
  ],
  ['nobody', 'GET', '/api/articles'],
  ['nobody', 'POST', '/api/auth/local', { identifier: 'ann', password: 'wrong' }],
  ['nobody', 'POST', '/api/auth/local/register', { username: 'eve', email: 'eve@mail.test', password: 'Passw0rd!' }],
  ['nobody', 'POST', '/api/auth/forgot-password', { email: 'ann@mail.test' }],
  ['nobody', 'GET', '/api/auth/email-confirmation?confirmation=unknown'],
  ['nobody', 'GET', '/uploads/file.png'],
  ['nobody', 'GET', '/_health/ready'],
  ['admin', 'GET', '/roles'],
  ['admin', 'POST', '/roles', { name: 'Late', actions: [] }],
  ['admin', 'GET', '/users'],
  ['admin', 'POST', '/tokens', { name: 'late', type: 'read-only' }],
  ['admin', 'GET', '/models'],
  ['admin', 'PUT', '/settings', { advanced: { allow_register: false } }],
];

describe('requests while the database is slow or hangs', () => {
  let fresh: FreshDatabase;
  let link: TcpLink;
  let server: ServingAccounts;
  let jwt: string;
  before(async () => {
    fresh = await freshDatabase();
    link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    const uri = `mongodb://127.0.0.1:${String(link.port)}/${fresh.name}?directConnection=true`;
    const actions = ['api::article.article.find', 'plugin::upload.content-api.upload'];
    const grants = actions.map((action, index) => ({ _id: index + 1, action, role: 2 }));
    server = await serveAccounts({
      database: { ...fresh, uri },
      documents: { up_users: [await storedUser(1, 'ann')], up_permissions: grants },
      // the connections stay open: nothing but the limits of calls ends what is under way
      config: {
        database: { maxTimeMS: { read: 500, write: 500 }, heartbeat: 120_000 },
        api: { ratelimit: { enabled: true } },
        plugins: { 'users-permissions': { config: { jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef' } } },
      },
    });
    const { body } = await server.as(null, 'POST', '/api/auth/local', { identifier: 'ann', password: 'Passw0rd!' });
    jwt = body.jwt as string;
  });
  after(async () => {
    link.unblock();
    await server.stop();
    await link.close();
    await fresh.drop();
  });

  const upload = async (name: string): Promise<number> => {
    const body = new FormData();
    body.append('files', new File(['some bytes'], name, { type: 'text/plain' }));
    return (await fetch(`${server.server.url}/api/upload`, { method: 'POST', body })).status;
  };

  it('stop writing when all their writes together take too long', async () => {
    await upload('first.txt');
    const quick = await server.countCommands(() => upload('quick.txt'));
    link.delay(100); // each command takes 200 ms of the 750 that a request may wait
    const slow = await server.countCommands(() => upload('slow.txt'));
    link.delay(0);
    expect([quick.result, slow.result]).to.deep.equal([200, 503]);
    // The entry of the file and its bytes are sent once at most. What is left of them is cleared with other commands.
    const insertions = ({ commands }: typeof slow): number => commands.filter((name) => name === 'insert').length;
    expect(insertions(slow)).to.be.at.most(insertions(quick));
    const stored = await fresh.db.collection('files').distinct('name');
    expect(stored).to.deep.equal(['first.txt', 'quick.txt']);
  });

  it('are answered by 503 if it hangs, each of them', async () => {
    link.block();
    const answers = await Promise.all(
      requests.map(async ([by, method, path, body]) => {
        const send =
          by === 'admin' ? server.admin(method, path, body) : server.as(by === 'user' ? jwt : null, method, path, body);
        return `${method} ${path}: ${String((await send).status)}`;
      }),
    );
    expect(answers).to.deep.equal(requests.map(([, method, path]) => `${method} ${path}: 503`));
  });
});
