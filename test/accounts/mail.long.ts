import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Logger } from 'pino';
import { logObservations } from '#base/observe/log-observations.js';
import { Observer } from '#base/observe/observer.js';
import { createOutbox } from '#accounts/mail/outbox.js';
import { password, serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import { createLog } from '../support/create-log.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

/** A mail server in miniature that keeps the recipients and the texts of e-mails. */
async function startMailServer(port: number): Promise<{ readonly texts: readonly string[]; readonly stop: () => void }> {
  const texts: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let [received, inData] = ['', false];
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      received += String(chunk);
      if (!inData) {
        inData = /^DATA\r\n/m.test(received);
        socket.write(inData ? '354 go on\r\n' : received.startsWith('EHLO') ? '250 test\r\n' : '250 ok\r\n');
        received = '';
      } else if (received.endsWith('\r\n.\r\n')) {
        texts.push(received);
        [received, inData] = ['', false];
        socket.write('250 ok\r\n');
      }
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    texts,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens
  server.close();
  await once(server, 'close');
  return port;
}

describe('e-mails', () => {
  const waitFor = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
  };

  describe('while the mail server is down', () => {
    let server: ServingAccounts;
    let isOpen: boolean;
    let port: number;
    let log: Awaited<ReturnType<typeof createLog>>;
    beforeEach(async () => {
      port = await freePort();
      log = await createLog();
      const email = { config: { providerOptions: { host: '127.0.0.1', port, ignoreTLS: true } } };
      const config = { jwtSecret, ratelimit: { enabled: false } };
      server = await serveAccounts({ logger: log.logger, config: { plugins: { 'users-permissions': { config }, email } } });
      isOpen = true;
      const actions = ['register', 'forgotPassword', 'sendEmailConfirmation', 'callback'];
      await server.admin('PUT', '/roles/2', { actions: actions.map((name) => `plugin::users-permissions.auth.${name}`) });
      await server.admin('PUT', '/settings', { advanced: { email_confirmation: true } });
      await server.admin('POST', '/users', { username: 'old', email: 'old@mail.test', password, role: 1, confirmed: false });
    });
    afterEach(() => isOpen && server.stop());

    const asks: readonly (readonly [title: string, path: string, body: object, address: string])[] = [
      ['a registration', '/local/register', { username: 'new', email: 'new@mail.test', password }, 'new@mail.test'],
      ['a forgotten password', '/forgot-password', { email: 'old@mail.test' }, 'old@mail.test'],
      ['a confirmation', '/send-email-confirmation', { email: 'old@mail.test' }, 'old@mail.test'],
    ];
    for (const [title, path, body, address] of asks)
      it(`${title} is answered, and its e-mail is sent when the server is back`, async () => {
        expect((await server.as(null, 'POST', `/api/auth${path}`, body)).status).to.equal(200);
        await waitFor(() => log.lines.some(({ msg }) => msg === 'an e-mail could not be sent yet'));
        const mails = await startMailServer(port);
        await waitFor(() => mails.texts.length > 0);
        expect(mails.texts.join()).to.include(address);
        mails.stop();
      });

    it('a stop says which e-mails were not sent', async () => {
      await server.as(null, 'POST', '/api/auth/forgot-password', { email: 'old@mail.test' });
      await waitFor(() => log.lines.some(({ msg }) => msg === 'an e-mail could not be sent yet'));
      await server.stop();
      isOpen = false;
      const lines = log.lines.filter(({ msg }) => msg === 'the service stopped before an e-mail was sent');
      expect(lines.map(({ template, user }) => [template, user])).to.deep.equal([['reset_password', 1]]);
      expect(JSON.stringify(log.lines)).to.not.include('old@mail.test');
    });
  });

  describe('in the outbox', () => {
    interface Line {
      readonly n: unknown;
      readonly message: string;
    }
    const open = (deliver: () => Promise<unknown>, more: object = {}) => {
      const lines: Line[] = [];
      const write = (details: object, message: string): void => void lines.push({ n: Reflect.get(details, 'n'), message });
      const logger = { warn: write, error: write, isLevelEnabled: () => false } as unknown as Logger; // the called methods
      const observer = new Observer(logObservations(logger, { requests: 'none' }));
      const outbox = createOutbox({ observer, deliver, retries: [1, 1], grace: 1, ...more });
      const post = (n: number): void => {
        outbox.post({ about: { n }, compose: () => Promise.resolve({}) });
      };
      return { outbox, post, lines };
    };
    const fail = (code: string, responseCode: number) => Promise.reject(Object.assign(new Error(code), { code, responseCode }));

    const failures: readonly (readonly [title: string, code: string, status: number, attempts: number])[] = [
      ['are tried again while the server does not answer', 'ECONNECTION', 0, 3],
      ['are tried again if the server is busy', 'EENVELOPE', 450, 3],
      ['are tried again if the credentials are refused', 'EAUTH', 535, 3],
      ['are given up at once if the address is refused', 'EENVELOPE', 550, 1],
    ];
    for (const [title, code, status, expected] of failures)
      it(title, async () => {
        let attempts = 0;
        const { post, lines } = open(() => {
          attempts += 1;
          return fail(code, status);
        });
        post(1);
        await waitFor(() => lines.some(({ message }) => message === 'an e-mail could not be sent'));
        expect(attempts).to.equal(expected);
      });

    it('are bounded', async () => {
      const { outbox, post, lines } = open(() => new Promise(() => undefined), { most: 7 });
      for (let n = 0; n < 10; n += 1) post(n);
      expect(lines.map(({ n }) => n)).to.deep.equal([7, 8, 9]);
      await outbox.close();
      expect(lines.slice(3).map(({ n }) => n)).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
      post(11);
      expect(lines.at(-1)).to.deep.equal({ n: 11, message: 'the service stopped before an e-mail was sent' });
    });

    it('that are being sent are waited for', async () => {
      let finish: () => void = () => undefined;
      const { outbox, post, lines } = open(() => new Promise<void>((resolve) => (finish = resolve)), { grace: 60_000 });
      post(1);
      await new Promise((resolve) => setImmediate(resolve));
      const closed = outbox.close();
      finish();
      await closed;
      expect(lines).to.deep.equal([]);
    });
  });

  it('beyond the limit of an address are not sent, and the last code stays valid', async () => {
    const port = await freePort();
    const mails = await startMailServer(port);
    const { logger, lines } = await createLog();
    const email = { config: { providerOptions: { host: '127.0.0.1', port, ignoreTLS: true } } };
    const config = { jwtSecret, ratelimit: { enabled: true, max: 50, maxPerAddress: 2 } };
    const server = await serveAccounts({ logger, config: { plugins: { 'users-permissions': { config }, email } } });
    await server.addUser('ann');
    const told = () => lines.filter(({ msg }) => String(msg).startsWith('too many e-mails were sent to one address')).length;
    for (const spelling of ['ann@mail.test', 'ANN@mail.test', 'ann@mail.test', 'Ann@Mail.test']) {
      const before = mails.texts.length + told();
      const { status, body } = await server.as(null, 'POST', '/api/auth/forgot-password', { email: spelling });
      expect([status, body]).to.deep.equal([200, { ok: true }]);
      await waitFor(() => mails.texts.length + told() > before);
    }
    expect([mails.texts.length, told()]).to.deep.equal([2, 2]);
    const text = mails.texts.at(-1)?.replaceAll('=\r\n', '') ?? '';
    const code = /code=(?:3D)?([0-9a-f]{128})/.exec(text)?.[1];
    const reset = await server.as(null, 'POST', '/api/auth/reset-password', { code, password, passwordConfirmation: password });
    expect(reset.status).to.equal(200);
    await server.stop();
    mails.stop();
  });
});
