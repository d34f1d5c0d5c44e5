import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { syncModels } from '../../sync/sync-models.js';
import { type Result, serveLive, type ServingLive } from './serve-live.js';

const post = 'api::post.post';
const origin = 'https://app.example.org';
const changes = 'subscription { postsChanges { op id } }';
const isUpToDate = (result: Result): boolean => result.data?.postsChanges.op === 'uptodate';

describe('connections of operations that last', () => {
  let server: ServingLive;

  before(async () => {
    server = await serveLive({
      config: { api: { sync: { connectionsPerCaller: 3 } }, middlewares: { cors: { origin: [origin] } } },
    });
    await server.admin('PUT', '/roles/1', { actions: [`${post}.find`] });
  });
  after(() => server.stop());

  const address = (): string => `${server.server.url.replace('http', 'ws')}/graphql`;
  const open = (options: object = {}, protocol = 'graphql-transport-ws'): WebSocket =>
    new WebSocket(address(), protocol, options);
  const statusOf = async (socket: WebSocket): Promise<number> => {
    socket.on('error', () => undefined);
    const [, { statusCode }] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    socket.terminate();
    return statusCode;
  };
  const messages = (socket: WebSocket): { readonly next: () => Promise<Result> } => {
    const received: Result[] = [];
    let told = (): void => undefined;
    socket.on('message', (data) => {
      received.push(JSON.parse(String(data as Buffer)));
      told();
    });
    const next = async (): Promise<Result> => {
      while (received.length === 0) await new Promise<void>((resolve) => (told = resolve));
      return received.shift();
    };
    return { next };
  };
  const say = (socket: WebSocket, message: object): void => {
    socket.send(JSON.stringify(message));
  };
  const acknowledged = async (socket: WebSocket, token: string): Promise<ReturnType<typeof messages>> => {
    const read = messages(socket);
    await once(socket, 'open');
    say(socket, { type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    expect((await read.next()).type).to.equal('connection_ack');
    return read;
  };

  it('are limited for each caller, over all transports', async () => {
    const { jwt } = await server.addUser('limited');
    const held = [await server.over.events({ query: changes }, jwt), await server.over.parts({ query: changes }, jwt)];
    for (const received of held) await received.until(isUpToDate);
    const socket = open();
    await acknowledged(socket, jwt);
    expect((await server.over.events({ query: changes }, jwt)).status).to.equal(429);
    const second = open({ headers: { authorization: `Bearer ${jwt}` } });
    expect(await statusOf(second)).to.equal(429);
    socket.close();
    await once(socket, 'close');
    for (let isFree = false; !isFree;) {
      const again = await server.over.events({ query: changes }, jwt);
      isFree = again.status === 200;
      again.close();
    }
    for (const received of held) received.close();
  });

  it('have at most 20 operations', async () => {
    const socket = open();
    const { next } = await acknowledged(socket, server.editor);
    for (let id = 1; id <= 20; id += 1) {
      say(socket, { id: String(id), type: 'subscribe', payload: { query: changes } });
      expect((await next()).type).to.equal('next');
    }
    say(socket, { id: '21', type: 'subscribe', payload: { query: changes } });
    const { type, payload } = await next();
    expect([type, payload[0].message]).to.deep.equal(['error', 'A connection has at most 20 operations']);
    say(socket, { id: '1', type: 'complete' });
    for (let isServed = false; !isServed;) {
      say(socket, { id: '22', type: 'subscribe', payload: { query: changes } });
      isServed = (await next()).type === 'next';
    }
    socket.close();
  });

  it('name what a payload may not contain', async () => {
    const socket = open();
    const { next } = await acknowledged(socket, server.editor);
    const deep = '['.repeat(100) + ']'.repeat(100);
    for (const [variables, message] of [
      [`{"a":${deep}}`, 'payload is nested deeper than 64 levels'],
      ['{"__proto__":1}', 'payload has a key that is not allowed'],
    ]) {
      socket.send(
        `{"id":"1","type":"subscribe","payload":{"query":"{ posts { data { id } } }","variables":${String(variables)}}}`,
      );
      const { type, payload } = await next();
      expect([type, payload[0].message, payload[0].extensions.code]).to.deep.equal([
        'error',
        message,
        'STRAPI_BAD_REQUEST_ERROR',
      ]);
    }
    socket.close();
  });

  it('are refused to pages of other origins, unless CORS allows them', async () => {
    expect(await statusOf(open({ origin: 'https://evil.example.org' }))).to.equal(403);
    const allowed = open({ origin });
    await once(allowed, 'open');
    allowed.close();
    const own = open({ origin: server.server.url });
    await once(own, 'open');
    own.close();
  });

  it('need the protocol and valid credentials', async () => {
    const socket = open();
    await once(socket, 'open');
    say(socket, { type: 'connection_init', payload: { Authorization: 'Bearer nonsense' } });
    expect((await once(socket, 'close'))[0]).to.equal(4403);
    expect(await statusOf(open({ headers: { authorization: 'Bearer nonsense' } }))).to.equal(401);
    for (const value of [5, true, ['Bearer x'], { token: 'x' }]) {
      const odd = open();
      await once(odd, 'open');
      say(odd, { type: 'connection_init', payload: { authorization: null, Authorization: value } });
      expect((await once(odd, 'close'))[0], JSON.stringify(value)).to.equal(4403);
    }
    const silent = open();
    await once(silent, 'open');
    say(silent, { id: '1', type: 'subscribe', payload: { query: changes } });
    expect((await once(silent, 'close'))[0]).to.equal(4401);
  });

  it('end when the user is blocked', async () => {
    const { id, jwt } = await server.addUser('blocked');
    const held = [
      await server.over.events({ query: changes }, jwt),
      await server.over.parts({ query: 'query @live { posts { data { id } } }' }, jwt),
      await server.over.socket({ query: changes }, jwt),
    ];
    for (const received of held) await received.until(() => true);
    await server.admin('PUT', `/users/${String(id)}`, { blocked: true });
    for (const received of held) expect(await received.ended).to.equal(false);
    expect(held[2]?.results.at(-1)).to.include({ closed: 4403 });
  });

  it('are not accepted if no type has sync', async () => {
    const own = await serveLive({ models: syncModels.filter(({ uid }) => uid === 'api::plain.plain') });
    const socket = new WebSocket(`${own.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    expect(await statusOf(socket)).to.equal(400);
    await own.stop();
  });

  it('leave other requests for upgrades to be answered as if they did not ask', async () => {
    const { port } = new URL(server.server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const body = JSON.stringify({ query: '{ __typename }' });
    const headers = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const lines = ['POST /graphql HTTP/1.1', 'Host: localhost', ...headers, 'Content-Type: application/json'];
    socket.write([...lines, `Content-Length: ${String(body.length)}`, '', body.slice(0, 5)].join('\r\n'));
    setImmediate(() => socket.write(body.slice(5)));
    let text = '';
    for await (const bytes of socket) {
      text += String(bytes as Buffer);
      if (text.includes('__typename')) break;
    }
    expect(text)
      .to.match(/^HTTP\/1.1 200 OK/)
      .and.contain('{"data":{"__typename":"Query"}}');
  });

  it('closes a connection that asks for a WebSocket before an earlier request is answered, and goes on', async () => {
    const { port } = new URL(server.server.url);
    for (const upgrade of ['websocket', 'h2c']) {
      const socket = connect(Number(port), '127.0.0.1');
      const asking = ['GET /graphql HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', `Upgrade: ${upgrade}`, '', ''];
      socket.write(['GET /api/articles HTTP/1.1', 'Host: localhost', '', ...asking].join('\r\n'));
      socket.resume().on('error', () => undefined);
      await once(socket, 'close');
    }
    const answer = await fetch(`${server.server.url}/graphql?query={__typename}`, { headers: { accept: 'application/json' } });
    expect(answer.status).to.equal(200);
  });
});
