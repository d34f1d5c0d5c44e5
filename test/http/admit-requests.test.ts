import { expect } from 'chai';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Route } from '#http/route.js';
import { serve, type Served } from './serve.js';

describe('requests under way', () => {
  let server: Served;
  let handled = 0;
  let waiting: (() => void)[] = [];
  let arrived = (): void => undefined;
  /** Ends what is handled, and what is handled after that, until nothing waits. */
  const openGate = (): void => {
    const opened = waiting;
    waiting = [];
    for (const open of opened) open();
  };
  const begun = (count: number): Promise<void> =>
    new Promise((resolve) => {
      arrived = () => {
        if (handled === count) resolve();
      };
      arrived();
    });

  const rules = { filesLimit: 1, fieldsLimit: 1, fieldsSize: 100, sizeLimit: 1 };
  const parts: Route = {
    method: 'POST',
    path: '/parts',
    action: 'anybody',
    handle: async ({ request }) => {
      await request.readMultipart?.({ stage: () => Promise.reject(new Error('there is no file')) }, rules);
      return { body: {} };
    },
  };

  before(async () => {
    server = await serve({
      route: async (ctx) => {
        handled += 1;
        const turn = new Promise<void>((resolve) => waiting.push(resolve));
        arrived();
        await turn;
        ctx.body = {};
      },
      routes: [parts],
      config: { server: { requestsAtOnce: 2, requestsWaiting: 2, waitTimeout: 2_000 } },
    });
  });
  after(() => server.close());
  beforeEach(() => {
    handled = 0;
  });

  const ask = async (
    sent: Readonly<Record<string, string>> = {},
  ): Promise<readonly [status: number, retryAfter: string | null]> => {
    const { status, headers } = await fetch(`http://127.0.0.1:${String(server.port)}/slow`, { headers: sent });
    return [status, headers.get('retry-after')];
  };

  it('some are handled, some wait, and others are refused at once', async () => {
    const first = [ask(), ask()];
    await begun(2);
    // Only methods with a body have one of several parts, which would not wait.
    const later = Array.from({ length: 5 }, () => ask({ 'content-type': 'multipart/form-data; boundary=b' }));
    const refused: unknown[] = [];
    await new Promise<void>((resolve) => {
      for (const one of later) void one.then((answer) => answer[0] === 503 && refused.push(answer) === 3 && resolve());
    });
    expect(refused).to.deep.equal([0, 1, 2].map(() => [503, '1']));
    openGate();
    await begun(4);
    openGate();
    expect(await Promise.all(first)).to.deep.equal([
      [200, null],
      [200, null],
    ]);
    const statuses = (await Promise.all(later)).map(([status]) => status);
    expect(statuses.sort()).to.deep.equal([200, 200, 503, 503, 503]);
  });

  it('one with a multipart body takes its place when its route has read it', async () => {
    const first = [ask(), ask()];
    await begun(2);
    const form = new FormData();
    form.append('a', 'b');
    const send = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${String(server.port)}/parts`, { method: 'POST', body: form })).status;
    const later = [send(), send(), send()];
    expect(await Promise.race(later)).to.equal(503);
    openGate();
    expect((await Promise.all(later)).sort()).to.deep.equal([200, 200, 503]);
    await Promise.all(first);
  });

  it('one with a multipart body that its route does not read takes its place as well', async () => {
    const send = async (): Promise<number> => {
      const body = new FormData();
      body.append('a', 'b');
      return (await fetch(`http://127.0.0.1:${String(server.port)}/slow`, { method: 'POST', body })).status;
    };
    const first = [ask(), ask()];
    await begun(2);
    const later = [send(), send(), send()];
    expect(await Promise.race(later)).to.equal(503);
    openGate();
    await begun(4);
    openGate();
    expect((await Promise.all(later)).sort()).to.deep.equal([200, 200, 503]);
    await Promise.all(first);
  });

  it('one that waits too long is refused', async () => {
    const first = [ask(), ask()];
    await begun(2);
    expect(await ask()).to.deep.equal([503, '1']);
    openGate();
    expect((await Promise.all(first)).map(([status]) => status)).to.deep.equal([200, 200]);
    expect(handled).to.equal(2);
  });

  it('one whose client has disconnected is skipped', async () => {
    const first = [ask(), ask()];
    await begun(2);
    const gone = request({ host: '127.0.0.1', port: server.port, path: '/slow' }).end();
    gone.on('error', () => undefined);
    const [socket] = (await once(gone, 'socket')) as [NodeJS.EventEmitter];
    await once(socket, 'connect');
    const last = ask();
    gone.destroy();
    openGate();
    await begun(3);
    openGate();
    expect((await Promise.all([...first, last])).map(([status]) => status)).to.deep.equal([200, 200, 200]);
  });
});
