import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { serve, type Served } from './serve.js';

/** Sends the beginning of a request, and does not read its answer. */
function begin(server: Served, text: string): Socket {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

describe('memory of all requests', () => {
  let server: Served;
  const size = 12_000_000;
  let arrive: () => void = () => undefined;
  const leaves: (() => void)[] = [];

  before(async () => {
    server = await serve({
      config: { server: { answersLimit: 20_000_000, proxy: true }, middlewares: { body: { totalLimit: 1_000_000 } } },
      route: async (ctx) => {
        if (ctx.path === '/kept') {
          arrive();
          await new Promise<void>((resolve) => leaves.push(resolve));
        }
        ctx.body = ctx.path === '/large' ? { text: 'x'.repeat(size) } : { seen: ctx.request.body ?? null };
      },
    });
  });
  after(() => server.close());

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(server.port)}${path}`, init);
  const json = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const gzip = { 'content-encoding': 'gzip' };

  /** Resolves once the body is held, with a function that ends the request. */
  const keep = async (init: RequestInit): Promise<() => Promise<number>> => {
    const kept = ask('/kept', init);
    await new Promise<void>((resolve) => (arrive = resolve));
    return async () => {
      leaves.shift()?.();
      return (await kept).status;
    };
  };

  const statusOf = async (init: RequestInit): Promise<number> => {
    const answer = await ask('/', init);
    await answer.arrayBuffer();
    return answer.status;
  };

  it('is bounded for answers that clients do not read; small ones pass', async () => {
    const reader = begin(server, 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(reader, 'readable'); // reads some kilobytes
    const refused = await ask('/large');
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(await refused.json()).to.nested.include({
      'error.name': 'ServiceUnavailableError',
      'error.message': 'Too many large answers are under way, please try again later',
    });
    expect((await ask('/small')).status).to.equal(200);
    const ended = server.waitForLine(({ path, status }) => path === '/large' && status === 200);
    reader.destroy();
    await ended;
    for (const encoding of ['identity', 'gzip', 'identity', 'gzip']) {
      const whole = await ask('/large', { headers: { 'accept-encoding': encoding } });
      expect(whole.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect((await whole.text()).length).to.equal(size + '{"text":""}'.length);
    }
  });

  const large = `{"a":"${'x'.repeat(400_000)}"}`;
  const bodies: readonly (readonly [title: string, init: RequestInit, status: number])[] = [
    ['a small body', json('{"a":1}'), 200],
    ['a large body', json(large), 503],
    ['a body that is unpacked', json(gzipSync(large), gzip), 503],
    ['a body of many values', json(`[${'0,'.repeat(12_000)}0]`), 503],
  ];
  it('is bounded for bodies that are not handled yet', async () => {
    const end = await keep(json(`{"a":"${'x'.repeat(700_000)}"}`));
    const statuses = async (): Promise<number[]> => {
      const found: number[] = [];
      for (const [, init] of bodies) found.push(await statusOf(init));
      return found;
    };
    expect(await statuses()).to.deep.equal(bodies.map(([, , status]) => status));
    expect(await end()).to.equal(200);
    expect(await statuses()).to.deep.equal(bodies.map(() => 200));
  });

  it('is used by one compressed body at a time', async () => {
    const packed = json(gzipSync(`{"a":"${'x'.repeat(700_000)}"}`), gzip);
    const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(packed)));
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('is left by half to other clients if the proxy names their addresses', async () => {
    const sent = (size: number, address: string): RequestInit =>
      json(`{"a":"${'x'.repeat(size)}"}`, { 'x-forwarded-for': address });
    const ends = [await keep(sent(200_000, '2001:db8:1:2::1')), await keep(sent(100_000, '198.51.100.7'))];
    // A body counts as received and as decoded: 400 and 200 kB are held.
    const senders = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1', '198.51.100.7'];
    const statuses = [];
    for (const address of senders) statuses.push(await statusOf(sent(100_000, address)));
    expect(statuses).to.deep.equal([503, 503, 200, 200]);
    for (const end of ends) expect(await end()).to.equal(200);
  });
});
