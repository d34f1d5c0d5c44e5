import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { sendWebhook } from '#api/webhooks/send.js';
import { Receiver } from '../../support/receiver.js';

describe('addresses of webhooks', () => {
  let receiver: Receiver;
  let elsewhere: Receiver;
  before(async () => {
    elsewhere = new Receiver();
    await elsewhere.listen();
    receiver = new Receiver((response, { path }) => {
      if (path === '/redirect') response.writeHead(307, { location: elsewhere.url() }).end();
      else if (path === '/endless') endless(response);
      else response.end('thanks');
    });
    await receiver.listen();
  });
  after(async () => {
    await receiver.close();
    await elsewhere.close();
  });

  const endless = (response: { write: (text: string) => boolean; destroyed: boolean }): void => {
    if (response.destroyed) return;
    response.write('x'.repeat(10_000));
    setImmediate(() => endless(response));
  };
  const send = (url: string, allowsPrivate: boolean) => sendWebhook({ url, headers: {}, body: '{}', allowsPrivate });

  /** Hosts that lead to this machine or a private network, the last one only by its name. */
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0', 'localhost', 'LOCALHOST.', '[::1]', '[::ffff:127.0.0.1]'],
    ...['169.254.169.254', '10.0.0.1', '[fd00:ec2::254]', '[64:ff9b::7f00:1]', '100.64.0.1', hostname()],
  ];
  for (const host of hosts)
    it(`refuse ${host === hostname() ? 'the name of this machine' : host}`, async () => {
      const before = receiver.received.length;
      const error: unknown = await send(`http://${host}:${String(receiver.port)}/`, false).catch((reason: unknown) => reason);
      expect(String(error)).to.match(/is an address of this machine or of a private network; webhooks\.allowPrivate/);
      expect(receiver.received).to.have.lengthOf(before);
    });

  it('are called on demand, without redirects', async () => {
    expect(await send(receiver.url('/redirect'), true)).to.deep.equal({ status: 307, text: '', retryAfter: null });
    expect(elsewhere.received).to.have.lengthOf(0);
  });

  it('do not lend a connection to a call that may have public addresses only', async () => {
    await send(receiver.url(), true);
    const error: unknown = await send(receiver.url(), false).catch((reason: unknown) => reason);
    expect(String(error)).to.include('private network');
  });

  it('are read for a kilobyte', async () => {
    const { status, text } = await send(receiver.url('/endless'), true);
    expect([status, text.length]).to.deep.equal([200, 1_000]);
  });

  it('are called again if they have closed a connection that was kept open', async () => {
    let calls = 0;
    const server = createServer((request, response) => {
      calls++;
      request.resume();
      response.end('ok', () => setImmediate(() => request.socket.resetAndDestroy()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as { port: number }).port)}/`;
    for (let call = 0; call < 20; call++) expect((await send(url, true)).status).to.equal(200);
    expect(calls).to.be.at.least(20);
    server.close();
  });
});
