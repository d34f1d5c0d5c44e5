import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { serveProject } from '../support/serve-project.js';

/** Attaches to the server as socket.io does: it wraps the listeners of requests, and upgrades connections. */
const index = `module.exports = { bootstrap({ strapi }) {
  const { httpServer } = strapi.server;
  const others = httpServer.listeners('request').slice();
  httpServer.removeAllListeners('request');
  httpServer.on('request', (request, response) => {
    if (request.url.startsWith('/socket/')) response.end('polled');
    else for (const other of others) other.call(httpServer, request, response);
  });
  httpServer.on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n');
    socket.pipe(socket);
  });
} };`;

describe('strapi.server.httpServer', () => {
  it('takes requests and connections, and lets the service end while connections are open', async () => {
    const { server, stop } = await serveProject({ 'src/index.js': index }, { models: [] });
    const answers = ['/socket/', '/api/none'].map(async (path) => (await fetch(`${server.url}${path}`)).text());
    expect((await Promise.all(answers)).map((text) => text.slice(0, 12))).to.deep.equal(['polled', '{"data":null']);
    const asked = request(`${server.url}/socket/`, { headers: { Connection: 'Upgrade', Upgrade: 'echo' } }).end();
    const [, socket] = (await once(asked, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).to.equal('hello');
    socket.on('error', () => undefined); // may be reset
    await Promise.all([once(socket, 'close'), stop()]);
  });
});

describe('strapi.server.router', () => {
  it('adds routes for everybody, with functions one after the other', async () => {
    const code = `module.exports = { register({ strapi }) {
      globalThis.projectStrapi = strapi;
      const { router } = strapi.server;
      router.get('/ping/:name', (ctx, next) => { ctx.set('x-first', '1'); return next(); }, (ctx) => { ctx.body = ctx.params.name; })
        .post('named', '/api/echo', (ctx) => { ctx.body = { route: ctx._matchedRouteName, sent: ctx.request.body }; });
      router.del('/ping', (ctx) => { ctx.status = 204; });
    } };`;
    const { call, server, strapi, stop } = await serveProject(
      { 'src/index.js': code },
      { models: [], config: { api: { open: false } } },
    );
    const answer = await fetch(`${server.url}/ping/a`);
    expect([answer.status, answer.headers.get('x-first'), await answer.text()]).to.deep.equal([200, '1', 'a']);
    const echo = { status: 200, body: { route: 'named', sent: { a: 1 } } };
    expect(await call('POST', '/api/echo', { a: 1 })).to.deep.equal(echo);
    expect((await fetch(`${server.url}/ping`, { method: 'DELETE' })).status).to.equal(204);
    expect(() => strapi.server.router.get(/a/, () => 1)).to.throw('strapi.server.router.get takes a text as path');
    expect(() => strapi.server.router.use).to.throw('strapi.server.router.use is not offered');
    await stop();
  });
});
