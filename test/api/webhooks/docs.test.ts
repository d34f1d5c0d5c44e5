import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { pickPort } from '#operate/embedded/open-data.js';
import { sendWebhook } from '#api/webhooks/send.js';
import { newSecret, signatureHeaders } from '#api/webhooks/sign.js';
import { readBlocks } from '../../docs/read-page.js';

describe('the receiver in docs/webhooks.md', () => {
  it('accepts what is signed, and nothing else', async () => {
    const text = readBlocks('docs/webhooks.md').find(({ file }) => file === 'receiver.mjs')?.text ?? '';
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-receiver-'));
    const [program, secret, port] = [join(directory, 'receiver.mjs'), newSecret(), await pickPort(0)];
    await writeFile(program, text);
    const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
    const receiver = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const now = Math.floor(Date.now() / 1_000);
      const body = JSON.stringify({ type: 'entry.create' });
      const signed = { id: 'msg_1', timestamp: now, body };
      const send = (headers: Record<string, string>): Promise<number> =>
        sendWebhook({ url: `http://127.0.0.1:${String(port)}/`, headers, body, allowsPrivate: true }).then(
          ({ status }) => status,
          async () => (await delay(20), send(headers)), // it does not listen yet
        );
      const requests: readonly (readonly [Record<string, string>, number])[] = [
        [signatureHeaders(signed, [secret]), 204],
        [signatureHeaders(signed, [newSecret(), secret]), 204],
        [signatureHeaders(signed, [newSecret()]), 401],
        [signatureHeaders({ ...signed, timestamp: now - 600 }, [secret]), 401],
        [signatureHeaders({ ...signed, body: '{}' }, [secret]), 401],
        [{}, 401],
      ];
      for (const [headers, status] of requests) expect(await send(headers)).to.equal(status);
      expect(text.trim().split('\n').length).to.be.at.most(22);
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
      await rm(directory, { recursive: true });
    }
  });
});
