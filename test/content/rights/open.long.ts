import { expect } from 'chai';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLog } from '../../support/create-log.js';
import { isLocal } from '#http/is-local.js';
import { password, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const local = { host: 'localhost:1337' };
const requests: readonly (readonly [
  title: string,
  address: string,
  headers: Readonly<Record<string, string>>,
  expected: boolean,
])[] = [
  ['a program of this machine', '127.0.0.1', local, true],
  ['by IPv6', '::1', { host: '[::1]:1337' }, true],
  ['by IPv4 in IPv6', '::ffff:127.0.0.1', { host: '127.0.0.1:1337' }, true],
  ['a page of this machine', '127.0.0.1', { ...local, origin: 'http://localhost:3000' }, true],
  ['another machine', '192.0.2.7', local, false],
  ['a page of another site', '127.0.0.1', { ...local, origin: 'https://evil.test' }, false],
  ['a page without an origin of its own', '127.0.0.1', { ...local, origin: 'null' }, false],
  ['a name that was rebound to this machine', '127.0.0.1', { host: 'evil.test:1337' }, false],
  ['a name that begins like this machine', '127.0.0.1', { host: 'localhost.evil.test' }, false],
  ['no host', '127.0.0.1', {}, false],
];

/** Headers of proxies, and of programs of this machine. */
const proxied =
  'forwarded x-forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-forwarded-prefix x-original-forwarded-for ' +
  'forwarded-for via x-real-ip cf-connecting-ip cf-connecting-ipv6 cf-ray cf-visitor cdn-loop true-client-ip x-client-ip client-ip ' +
  'x-cluster-client-ip x-remote-ip x-remote-addr x-originating-ip fly-client-ip fly-forwarded-port fastly-client-ip fastly-ff ' +
  'x-envoy-external-address x-envoy-expected-rq-timeout-ms x-amzn-trace-id x-amz-cf-id cloudfront-forwarded-proto x-azure-fdid ' +
  'x-azure-clientip x-arr-log-id x-arr-ssl x-appengine-user-ip x-vercel-id x-vercel-forwarded-for x-nf-client-connection-ip ' +
  'x-original-host x-original-url x-rewrite-url x-host x-scheme x-request-start x-varnish proxy-connection proxy-authorization ' +
  'x-proxyuser-ip wl-proxy-client-ip proxy-client-ip akamai-origin-hop x-akamai-edgescape surrogate-capability tailscale-user-login ' +
  'ngrok-skip-browser-warning x-cloud-trace-context x-sucuri-clientip incap-client-ip max-forwards front-end-https x-url-scheme ' +
  'ssl-client-cert x-ssl-cipher x-waws-unencoded-url x-kong-request-id';
const direct =
  'user-agent accept content-type authorization connection keep-alive referer sec-fetch-site upgrade-insecure-requests traceparent ' +
  'x-request-id x-requested-with x-apollo-operation-name apollo-require-preflight idempotency-key if-none-match x-client-version';

/** Returns whether a request with these parts is local. */
const judge = (remoteAddress: string, headers: Readonly<Record<string, string>>, httpVersion = '1.1'): boolean =>
  isLocal({ socket: { remoteAddress }, headers, httpVersion } as Parameters<typeof isLocal>[0]); // has what is read

describe('http/is-local', () => {
  for (const [title, remoteAddress, headers, expected] of requests)
    it(`${title}: ${String(expected)}`, () => {
      expect(judge(remoteAddress, headers)).to.equal(expected);
    });
  for (const [names, expected] of [
    [proxied, false],
    [direct, true],
  ] as const)
    for (const name of names.split(' '))
      it(`the header ${name}: ${String(expected)}`, () => {
        expect(judge('127.0.0.1', { ...local, [name]: '127.0.0.1' })).to.equal(expected);
      });
  it('HTTP/1.0, which proxies send: false', () => {
    expect(judge('127.0.0.1', local, '1.0')).to.equal(false);
  });
});

describe('an open service', () => {
  const started: ServingAccounts[] = [];
  const serve = async (...input: Parameters<typeof serveAccounts>): Promise<ServingAccounts> => {
    const server = await serveAccounts(...input);
    started.push(server);
    return server;
  };
  afterEach(() => Promise.all(started.splice(0).map((server) => server.stop())));

  const article = { data: { title: 'x' } };
  const user = { username: 'ann', email: 'ann@mail.test', password, role: 1 };
  /** The status of a request without credentials. */
  const ask = async (server: ServingAccounts, [method, path, body]: readonly [string, string, object?]): Promise<number> =>
    (await server.as(null, method, path, body)).status;

  const opens: readonly (readonly [title: string, input: Parameters<typeof serveAccounts>[0], expected: number])[] = [
    ['an embedded database', { embeddedDatabase: true, config: { api: { open: null } } }, 200],
    ['a database that it was given', { config: { api: { open: null } } }, 403],
    ['production', { embeddedDatabase: true, config: { api: { open: null }, environment: 'production' } }, 403],
    ['NODE_ENV=prod', { embeddedDatabase: true, config: { api: { open: null }, environment: 'prod' } }, 403],
    ['NODE_ENV=staging', { embeddedDatabase: true, config: { api: { open: null }, environment: 'staging' } }, 403],
    ['NODE_ENV=test', { embeddedDatabase: true, config: { api: { open: null }, environment: 'test' } }, 200],
    ['api.open: false', { embeddedDatabase: true, config: { api: { open: false } } }, 403],
    ['api.open: true', { config: { api: { open: true } } }, 200],
  ];
  for (const [title, input, expected] of opens)
    it(`lets anybody write on ${title}: ${String(expected)}`, async () => {
      expect(await ask(await serve(input), ['POST', '/api/articles', article])).to.equal(expected);
    });

  const rights: readonly (readonly [request: readonly [string, string, object?], unasked: number, asked: number])[] = [
    [['POST', '/api/articles', article], 200, 200],
    [['GET', '/api/users'], 200, 200],
    [['GET', '/api/users-permissions/roles'], 200, 200],
    [['POST', '/api/users', user], 403, 201],
    [['PUT', '/api/users/1', { username: 'bob' }], 403, 200],
    [['DELETE', '/api/users/1'], 403, 200],
    [['POST', '/api/users-permissions/roles', { name: 'x', description: 'x' }], 403, 403],
    [['PUT', '/api/users-permissions/roles/2', { name: 'x' }], 403, 403],
    [['DELETE', '/api/users-permissions/roles/2'], 403, 403],
    [['POST', '/graphql', { query: 'mutation { createUsersPermissionsRole(data: { name: "x" }) { ok } }' }], 200, 200],
  ];
  it('lets nobody change roles, and users only if it was asked to be open', async () => {
    const unasked = await serve({ embeddedDatabase: true, config: { api: { open: null } } });
    const asked = await serve({ config: { api: { open: true } } });
    for (const [request, ...expected] of rights)
      expect([await ask(unasked, request), await ask(asked, request)], request.slice(0, 2).join(' ')).to.deep.equal(expected);
    for (const server of [unasked, asked]) {
      const { body } = await server.admin('GET', '/roles');
      expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal(['Authenticated', 'Public']);
    }
  });

  it('that is not configured is closed to pages of other sites and to other hosts', async () => {
    const server = await serve({ embeddedDatabase: true, config: { api: { open: null } } });
    const { port } = new URL(server.server.url);
    const statusWith = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: '/api/articles', headers }, (answer) => {
          resolve(answer.resume().statusCode);
        });
        sent.on('error', reject).end();
      });
    expect(await statusWith({})).to.equal(200);
    for (const headers of [{ origin: 'https://evil.test' }, { host: 'evil.test' }, { 'x-forwarded-for': '192.0.2.7' }])
      expect(await statusWith(headers), JSON.stringify(headers)).to.equal(403);
  });

  it('is closed to a proxy that sends HTTP/1.0 with the name of this machine', async () => {
    const server = await serve({ embeddedDatabase: true, config: { api: { open: null } } });
    const { port } = new URL(server.server.url);
    const statusBy = async (version: string): Promise<string | undefined> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET /api/articles HTTP/${version}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).split(' ')[1];
    };
    expect([await statusBy('1.1'), await statusBy('1.0')]).to.deep.equal(['200', '403']);
  });

  const ends: readonly (readonly [title: string, end: (server: ServingAccounts) => Promise<unknown>])[] = [
    ['user', (server) => server.admin('POST', '/users', user)],
    ['grant', (server) => server.admin('PUT', '/roles/2', { actions: ['api::article.article.find'] })],
  ];
  for (const [title, end] of ends)
    it(`is closed by the first ${title}, with one warning`, async () => {
      const { logger, lines } = await createLog();
      const server = await serve({ embeddedDatabase: true, config: { api: { open: null } }, logger });
      expect(await ask(server, ['POST', '/api/articles', article])).to.equal(200);
      await end(server);
      for (const status of [403, 403]) expect(await ask(server, ['POST', '/api/articles', article])).to.equal(status);
      const warnings = lines.filter(({ level, msg }) => level === 40 && /a user or a grant now/.test(String(msg)));
      expect(warnings.length).to.equal(1);
    });
});
