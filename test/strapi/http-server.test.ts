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
