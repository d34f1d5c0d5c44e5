import { expect } from 'chai';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { allowUploadTime } from '#http/request-limits.js';
import { prepareHttpServer, startHttpServer } from '#http/start-http-server.js';
import { createConfig } from '#settings/create-config.js';
import { sendRaw, serve } from './serve.js';
import type { IncomingMessage } from 'node:http';
import type { Served } from './serve.js';

/** A promise to be settled from outside. */
function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** One request on the agent's connections. */
function ask(server: Served, path: string, agent: Agent): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    get({ port: server.port, host: '127.0.0.1', path, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve(Object.assign(response, { text }));
      });
    }).on('error', reject);
  });
}

describe('startHttpServer', () => {
  const servers: Served[] = [];
  const start = async (...input: Parameters<typeof serve>): Promise<Served> => {
    const server = await serve(...input);
    servers.push(server);
    return server;
  };
  after(() => Promise.all(servers.map((server) => server.close())));

  const urls: readonly (readonly [host: string, url: string | null, expected: RegExp])[] = [
    ['0.0.0.0', null, /^http:\/\/localhost:\d+$/],
    ['127.0.0.1', null, /^http:\/\/localhost:\d+$/],
    ['127.0.0.1', 'https://cms.test/', /^https:\/\/cms\.test$/],
  ];
  for (const [host, url, expected] of urls)
    it(`${host}, ${String(url)}: ${String(expected)}`, async () => {
      expect((await start({ config: { server: { host, url } } })).url).to.match(expected);
    });

  it('says that a port is in use', async () => {
    const { port } = await start();
    const error: unknown = await start({ config: { server: { port } } }).catch((caught: unknown) => caught);
    expect(error)
      .to.be.an('error')
      .with.property('message', `port ${String(port)} is in use; choose another with PORT`);
  });

  it('goes on if connections cannot be accepted', async () => {
    const { server: config } = createConfig({ server: { host: '127.0.0.1', port: 0 } });
    const prepared = prepareHttpServer(config);
    const refused: string[] = [];
    const options = { prepared, refused: ({ message }: Error) => void refused.push(message) };
    const server = await startHttpServer((_request, response) => response.end('done'), config, options);
    for (const code of ['EMFILE', 'ENFILE']) prepared.server.emit('error', new Error(`accept ${code}`));
    expect(refused).to.deep.equal(['accept EMFILE', 'accept ENFILE']);
    const response = await fetch(server.localUrl);
    expect(await response.text()).to.equal('done');
    await server.close();
  });

  it('finishes requests under way, ends idle connections and refuses new ones', async () => {
    const arrived = deferred();
    const go = deferred();
    const agent = new Agent({ keepAlive: true });
    const server = await start({
      route: async (ctx) => {
        arrived.resolve();
        if (ctx.path === '/slow') await go.promise;
        ctx.body = 'done';
      },
    });
    const idle = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    const slow = ask(server, '/slow', agent);
    await arrived.promise;
    const closed = server.close();
    expect(server.close()).to.equal(closed);
    await once(idle.resume(), 'close');
    const refused: unknown = await ask(server, '/new', new Agent()).catch((caught: unknown) => caught);
    expect(refused).to.have.property('code', 'ECONNREFUSED');
    go.resolve();
    const answer = await slow;
    expect(answer.text).to.equal('done');
    expect(answer.headers.connection).to.equal('close');
    expect(await closed).to.equal(0);
  });

  it('loses no request of clients that keep sending while it stops', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    let [received, answered] = [0, 0];
    const server = await start({ route: (ctx) => (ctx.body = String(++received)) });
    const failures: unknown[] = [];
    const client = async (): Promise<void> => {
      for (;;) {
        const result = await ask(server, '/', agent).catch((caught: unknown) => caught);
        if (result instanceof Error) return void failures.push(Reflect.get(result, 'code'));
        if ((answered += 1) === 50) void server.close();
      }
    };
    await Promise.all([client(), client(), client(), client()]);
    expect(await server.close()).to.equal(0);
    expect(answered).to.be.at.least(50);
    expect(received).to.equal(answered);
    // The system resets connections that the server has not accepted yet.
    for (const code of failures) expect(code).to.be.oneOf(['ECONNREFUSED', 'ECONNRESET']);
    expect(failures).to.have.lengthOf(4);
  });

  it('cuts requests that take longer than shutdownTimeout, and logs how many', async () => {
    const arrived = deferred();
    const server = await start({
      config: { server: { shutdownTimeout: 30 } },
      route: () => {
        arrived.resolve();
        return new Promise(() => undefined);
      },
    });
    const stuck = ask(server, '/', new Agent()).catch((caught: unknown) => caught);
    await arrived.promise;
    expect(await server.close()).to.equal(1);
    expect(await stuck).to.have.property('code', 'ECONNRESET');
  });

  it('answers 503 when a request takes too long', async () => {
    const server = await start({ config: { server: { requestTimeout: 30 } }, route: () => new Promise(() => undefined) });
    const response = await fetch(`http://127.0.0.1:${String(server.port)}/`);
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('1');
    expect(await response.json()).to.nested.include({ 'error.name': 'ServiceUnavailableError' });
  });

  it('answers 408 when a body does not come, and ends the connection', async () => {
    const server = await start({ config: { server: { requestTimeout: 30 } } });
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{';
    expect(await sendRaw(server.port, head)).to.match(/^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*"RequestTimeoutError"/);
  });

  const uploads: readonly (readonly [path: string, expected: RegExp])[] = [
    ['/let-in', /^HTTP\/1\.1 200 [\s\S]*late$/],
    ['/unknown', /^HTTP\/1\.1 408 /],
  ];
  for (const [path, expected] of uploads)
    it(`gives multipart bodies the time of uploads once their sender is let in: ${path}`, async () => {
      const server = await start({
        config: { server: { requestTimeout: 5 } },
        route: async (ctx) => {
          if (ctx.path === '/let-in') allowUploadTime(ctx.req);
          for await (const chunk of ctx.req) ctx.body = String(chunk);
        },
      });
      const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
      socket.on('error', () => undefined);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n`);
      socket.write('Content-Length: 4\r\nConnection: close\r\n\r\n');
      setTimeout(() => socket.write('late'), 60);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).to.match(expected);
    });

  it('ends a connection whose body goes on after the answer', async () => {
    const server = await start({
      route: (ctx) => {
        ctx.body = 'enough';
      },
    });
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
    const closed = deferred();
    let answer = '';
    socket.on('error', () => undefined).on('close', closed.resolve);
    socket.on('data', (text: string) => (answer += text));
    socket.write(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write('x'), 50);
    await closed.promise;
    clearInterval(drip);
    expect(answer).to.include('enough');
  });

  it('refuses headers over maxHeaderSize with 431', async () => {
    const server = await start({ config: { server: { maxHeaderSize: 4_096 } } });
    const request = (size: number): string => `GET /_health?${'x'.repeat(size)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(server.port, request(3_900))).to.match(/^HTTP\/1\.1 204 /);
    expect(await sendRaw(server.port, request(4_100))).to.match(/^HTTP\/1\.1 431 /);
  });

  const broken: Readonly<Record<string, string>> = {
    'a negative length': 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
    'length and chunks': 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    garbage: '\0\x01 GARBAGE\r\n\r\n',
    'no Host': 'GET / HTTP/1.1\r\n\r\n',
  };
  for (const [title, bytes] of Object.entries(broken))
    it(`answers 400 to ${title}`, async () => {
      expect(await sendRaw((await start()).port, bytes)).to.match(/^HTTP\/1\.1 400 /);
    });

  it('trusts as many proxies as are configured', async () => {
    const ips = async (server: Served): Promise<string> => {
      const headers = { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' };
      return (await fetch(`http://127.0.0.1:${String(server.port)}/`, { headers })).text();
    };
    const route = (ctx: { body: unknown; ip: string }) => (ctx.body = ctx.ip);
    expect(await ips(await start({ route }))).to.equal('127.0.0.1');
    expect(await ips(await start({ route, config: { server: { proxy: true } } }))).to.equal('1.2.3.4');
  });

  const pipelined = (paths: readonly string[]): string =>
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('') +
    'GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  it('handles the requests of a connection one after the other', async () => {
    let [running, most] = [0, 0];
    const server = await start({
      route: async (ctx) => {
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        ctx.body = `${ctx.path};`;
      },
    });
    const paths = Array.from({ length: 50 }, (_, n) => `/${String(n)}`);
    const answer = await sendRaw(server.port, pipelined(paths));
    expect([...answer.matchAll(/\r\n\r\n(\/\w+);/g)].map(([, path]) => path)).to.deep.equal([...paths, '/end']);
    expect(most).to.equal(1);
  });

  it('handles no request of a connection that was closed before its turn', async () => {
    const handled: string[] = [];
    const arrived = deferred();
    const go = deferred();
    const server = await start({
      route: async (ctx) => {
        handled.push(ctx.path);
        arrived.resolve();
        if (ctx.path === '/first') await go.promise;
        ctx.body = 'x';
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(pipelined(['/first', '/second']));
    await arrived.promise;
    socket.destroy();
    await server.waitForLine(({ path, aborted }) => path === '/first' && aborted === true);
    go.resolve();
    await (await fetch(`http://127.0.0.1:${String(server.port)}/other`)).text();
    expect(handled).to.deep.equal(['/first', '/other']);
    expect(await server.close()).to.equal(0);
  });

  it('cuts a connection on which too many requests wait', async () => {
    let handled = 0;
    const server = await start({
      route: async () => {
        handled += 1;
        return new Promise(() => undefined);
      },
      config: { server: { shutdownTimeout: 30 } },
    });
    const socket = connect(server.port, '127.0.0.1');
    const closed = deferred();
    socket.on('error', () => undefined).on('close', closed.resolve);
    socket.write(pipelined(Array.from({ length: 3_000 }, () => '/')));
    await closed.promise;
    expect(handled).to.equal(1);
  });

  it('cuts a client that does not read its answer, even if it keeps sending', async () => {
    const server = await start({
      config: { server: { sendTimeout: 200 } },
      route: (ctx) => {
        ctx.body = Buffer.alloc(20_000_000);
      },
    });
    const socket = connect(server.port, '127.0.0.1').pause();
    const closed = deferred();
    socket.on('error', () => undefined).on('close', closed.resolve);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const poke = setInterval(() => socket.write('\r\n'), 50);
    await closed.promise;
    clearInterval(poke);
  });

  it('cuts clients that read nothing sooner if their answers take too much memory together, oldest first', async () => {
    const server = await start({
      config: { server: { sendTimeout: 60_000, answersLimit: 50_000_000 } },
      route: (ctx) => {
        ctx.body = Buffer.alloc(20_000_000);
      },
    });
    const order: number[] = [];
    const readers = [1, 2].map((n) => {
      const socket = connect(server.port, '127.0.0.1').pause();
      const closed = deferred();
      socket
        .on('error', () => undefined)
        .on('close', () => {
          order.push(n);
          closed.resolve();
        });
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      return { socket, closed: closed.promise };
    });
    const poke = setInterval(() => {
      for (const { socket } of readers) socket.write('\r\n');
    }, 50);
    await Promise.race(readers.map(({ closed }) => closed));
    // The memory that one of them frees is enough.
    expect(order).to.have.length(1);
    clearInterval(poke);
    for (const { socket } of readers) socket.destroy();
  });

  it('cuts a client that reads its answer too slowly', async () => {
    const size = 20_000_000;
    const server = await start({
      config: { server: { sendTimeout: 500, sendRate: 100_000_000 } },
      route: (ctx) => {
        ctx.body = Buffer.alloc(size);
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let received = 0;
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await once(socket, 'close');
    expect(received).to.be.within(1, size - 1);
  });

  it('keeps a client that reads its answer slowly enough', async () => {
    const size = 3_000_000;
    const server = await start({
      config: { server: { sendTimeout: 400 } },
      route: (ctx) => {
        ctx.body = Buffer.alloc(size);
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let received = 0;
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await once(socket, 'close');
    expect(received).to.be.above(size);
  });
});
