import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attack, Hit } from './attack.js';
import { askPanel, type PanelAnswer, type PanelRequest } from './panel.js';
import { post, sendMany } from './send.js';
import type { Target } from './target.js';

/** Asks the admin API. */
const ask = (target: Target, request: PanelRequest, body?: object): Promise<PanelAnswer> =>
  askPanel(target, request, { token: target.adminToken, ...(body && { body }) });

const hook = (more: object): object => ({ name: 'attack', url: 'https://example.com', events: ['entry.create'], ...more });

const idIn = (text: string): string => String((JSON.parse(text) as { readonly data: { readonly id: number } }).data.id);

const hosts = ['127.0.0.1', '127.1', '2130706433', '0', 'localhost', '[::1]', '[::ffff:127.0.0.1]'];

/** Lets webhooks call a server of this machine, by writes that they are told of. Returns what was achieved. */
async function callInside(target: Target): Promise<string | null> {
  let calls = 0;
  const inside = createServer((request, response) => {
    calls++;
    request.resume();
    response.end();
  }).listen(0);
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo; // it listens on a port
  const urls = hosts.map((host) => `http://${host}:${String(port)}/`);
  const made = await Promise.all(urls.map((url) => ask(target, 'POST /admin/api/webhooks', hook({ url }))));
  const ids = made.map(({ text }) => idIn(text));
  const tag = { data: { name: `attack ${String(port)}` } };
  await askPanel(target, 'POST /api/tags', { token: target.token, body: tag });
  for (const id of ids) while (!(await ask(target, `GET /admin/api/webhooks/${id}/deliveries`)).text.includes('private network'));
  for (const id of ids) await ask(target, `DELETE /admin/api/webhooks/${id}`);
  inside.close();
  return calls === 0 ? null : `${String(calls)} requests have reached this machine`;
}

/** Looks for the secret of a webhook in all answers after the first. Returns what was achieved. */
async function findSecret(target: Target): Promise<string | null> {
  const { text } = await ask(target, 'POST /admin/api/webhooks', hook({ headers: { 'X-Key': 'word-of-a-header' } }));
  const { secret } = (JSON.parse(text) as { readonly data: { readonly secret: string } }).data;
  const id = idIn(text);
  const answers = [
    ...[await ask(target, `PUT /admin/api/webhooks/${id}`, { secret }), await ask(target, 'GET /admin/api/webhooks')],
    ...[await ask(target, `GET /admin/api/webhooks/${id}`), await ask(target, `GET /admin/api/webhooks/${id}/deliveries`)],
    await ask(target, `DELETE /admin/api/webhooks/${id}`),
  ];
  const log = (await ask(target, 'GET /admin/api/audit')).text;
  if ([...answers.map((answer) => answer.text), log].some((answer) => answer.includes(secret)))
    return 'the secret was shown again';
  return log.includes('word-of-a-header') ? 'the audit log has the headers' : null;
}

const achieving =
  (run: (target: Target) => Promise<string | null>): Attack['run'] =>
  async (target) => {
    const achieved = await run(target);
    const hit: Hit = { status: 200, bytes: 0, achieved };
    return [hit];
  };

const injected = ['a\r\nX-B: b', 'a\nb', 'a\0', 'ä\u2028'].map((value) => ({ 'X-A': value }));
const names = ['X-A\r\nX-B', 'Webhook-Signature', 'Content-Length', 'Host', 'X-Strapi-Event', ''].map((name) => ({
  [name]: 'a',
}));

/** Attacks by somebody who may set webhooks. */
export const webhookAttacks: readonly Attack[] = [
  { name: 'webhooks to addresses of this machine', run: achieving(callInside), commands: 500, documents: 1_000 },
  { name: 'secrets of webhooks', run: achieving(findSecret), commands: 100, documents: 1_000 },
  {
    name: 'headers of webhooks that break a request',
    run: (target) =>
      sendMany(
        target,
        [...injected, ...names].map((headers) =>
          post('/admin/api/webhooks', hook({ headers }), { authorization: `Bearer ${target.adminToken}` }),
        ),
        4,
      ),
    refusedBy: 'header',
    commands: 10,
    documents: 100,
  },
];
