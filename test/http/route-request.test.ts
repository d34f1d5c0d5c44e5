import { expect } from 'chai';
import Koa, { type Context } from 'koa';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { senderOf } from '#http/route-request.js';
import type { Sender } from '#base/limits/queue.js';

describe('http/route-request', () => {
  const networks: readonly (readonly [one: string, other: string, isSame: boolean])[] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:9::', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
  ];
  for (const [one, other, isSame] of networks)
    it(`${one} and ${other} are ${isSame ? 'one client' : 'two'}`, () => {
      const clientOf = (ip: string): string => senderOf({ ip } as Context, null).client; // no more is read of it
      expect(clientOf(one) === clientOf(other)).to.equal(isSame);
    });

  it('the signal of a request is aborted when its connection is closed, before it is asked for or after', async () => {
    for (const asksLate of [false, true]) {
      let hear: (sender: Sender) => void = () => undefined;
      const asked = new Promise<Sender>((resolve) => (hear = resolve));
      const app = new Koa().use(async (ctx) => {
        const sender = senderOf(ctx, null);
        if (asksLate) await once(ctx.res, 'close');
        hear(sender);
        if (!sender.signal.aborted) await aborted(sender.signal);
      });
      const server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const sent = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end(); // it listens
      sent.on('error', () => undefined);
      if (asksLate) {
        await once(server, 'request');
        sent.destroy();
      }
      const { signal } = await asked;
      sent.destroy();
      if (!signal.aborted) await aborted(signal);
      expect(signal.aborted).to.equal(true);
      server.close();
    }
  });
});

const aborted = (signal: Sender['signal']): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
