import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attack, Hit } from './attack.js';
import { sendMany, type Shot } from './send.js';
import type { Target } from './target.js';

const shot = ({ adminToken }: Pick<Target, 'adminToken'>, method: string, path: string, body?: object): Shot => ({
  method,
  path: `/admin/api/${path}`,
  headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
  ...(body && { body: JSON.stringify(body) }),
});

async function ask(
  target: Target,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const { headers, body: text } = shot(target, method, path, body);
  const answer = await fetch(`${target.url}/admin/api/${path}`, {
    method,
    headers: headers ?? {},
    ...(text !== undefined && { body: String(text) }),
  });
  return { status: answer.status, text: await answer.text() };
}

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
  const made = await Promise.all(urls.map((url) => ask(target, 'POST', 'webhooks', hook({ url }))));
  const ids = made.map(({ text }) => idIn(text));
  const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' };
  await fetch(`${target.url}/api/tags`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ data: { name: `attack ${String(port)}` } }),
  });
  for (const id of ids) while (!(await ask(target, 'GET', `webhooks/${id}/deliveries`)).text.includes('private network'));
  for (const id of ids) await ask(target, 'DELETE', `webhooks/${id}`);
  inside.close();
  return calls === 0 ? null : `${String(calls)} requests have reached this machine`;
}

/** Looks for the secret of a webhook in all answers after the first. Returns what was achieved. */
async function findSecret(target: Target): Promise<string | null> {
  const { text } = await ask(target, 'POST', 'webhooks', hook({ headers: { 'X-Key': 'word-of-a-header' } }));
  const { secret } = (JSON.parse(text) as { readonly data: { readonly secret: string } }).data;
  const id = idIn(text);
  const answers = [
    ...[await ask(target, 'PUT', `webhooks/${id}`, { secret }), await ask(target, 'GET', 'webhooks')],
    ...[await ask(target, 'GET', `webhooks/${id}`), await ask(target, 'GET', `webhooks/${id}/deliveries`)],
    await ask(target, 'DELETE', `webhooks/${id}`),
  ];
  const log = (await ask(target, 'GET', 'audit')).text;
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
        [...injected, ...names].map((headers) => shot(target, 'POST', 'webhooks', hook({ headers }))),
        4,
      ),
    refusedBy: 'header',
    commands: 10,
    documents: 100,
  },
];
