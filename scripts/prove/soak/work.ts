import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Holder } from '../sync/callers.js';
import { EventCopy } from '../sync/event-copy.js';
import type { Client } from './client.js';

/** What is done again and again while the service runs. */
export interface Work {
  readonly name: string;
  /** Milliseconds between the beginnings of two turns. */
  readonly every: number;
  readonly turn: (client: Client) => Promise<unknown>;
}

const random = (below: number): number => Math.floor(Math.random() * below);

const item = (): object => ({ key: randomUUID(), value: random(1_000) });

/** Ids of the items that the work has created. At most `mostItems` are there at once. */
const items: number[] = [];
const mostItems = 2_000;

const anyItem = (): number => items[random(items.length)] ?? 0;

async function create(client: Client): Promise<void> {
  const { data } = await client.json('POST', '/api/items', { data: { ...item(), owner: client.owner() } });
  items.push((data as { readonly id: number }).id);
  if (items.length > mostItems) await remove(client);
}

async function remove(client: Client): Promise<void> {
  const id = items.splice(random(items.length), 1)[0] ?? 0;
  await client.json('DELETE', `/api/items/${String(id)}`);
}

const update = (client: Client, key?: string): Promise<unknown> =>
  client.json(
    'PUT',
    `/api/items/${String(anyItem())}`,
    { data: { value: random(1_000) } },
    key === undefined ? {} : { 'idempotency-key': key },
  );

/** A write whose answer the client loses, and that it sends again. */
async function repeat(client: Client): Promise<void> {
  const [path, body] = ['/api/items', { data: item() }];
  const headers = { 'idempotency-key': randomUUID() };
  const first = (await client.json('POST', path, body, headers)).data as { readonly id: number };
  const second = (await client.json('POST', path, body, headers)).data as { readonly id: number };
  if (first.id !== second.id) throw new Error(`a repeated write has made ${String(second.id)} besides ${String(first.id)}`);
  items.push(first.id);
}

async function push(client: Client): Promise<void> {
  const [id, type] = [`$${randomUUID()}`, 'items'];
  const writes = [
    { key: randomUUID(), op: 'create', type, id, set: { key: { to: randomUUID() }, value: { to: 1 } } },
    { key: randomUUID(), op: 'update', type, id, increment: { value: 2 } },
    { key: randomUUID(), op: 'update', type, id, set: { value: { from: 3, to: 4 } } },
  ];
  for (let times = 0; times < 20; times += 1) {
    const { data } = await client.json('POST', '/api/sync/push', { writes });
    const pushed = data as readonly { readonly status: string; readonly id: number; readonly error?: unknown }[];
    if (pushed.every(({ status }) => status === 'applied')) return void items.push(pushed[0]?.id ?? 0);
    const refused = pushed.filter(({ status }) => status !== 'applied' && status !== 'waiting');
    if (refused.length > 0) throw new Error(`a push was answered by ${JSON.stringify(refused)}`);
    await delay(500);
  }
  throw new Error('a push still waits after 10 s');
}

const query =
  'query ($id: ID) { items(filters: { owner: { id: { eq: $id } } }) { data { id attributes { value owner { data { id } } } } } }';

const readGraph = (client: Client): Promise<unknown> =>
  client.json('POST', '/graphql', { query, variables: { id: String(client.owner()) } });

const find = { name: 'find', arguments: { type: 'items', filters: { value: { $lt: 500 } }, limit: 5 } };

const askAsAgent = (client: Client): Promise<unknown> =>
  client.json(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: find },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
  );

/** Follows the items for some seconds, as an app does that is opened and closed. */
async function follow({ origin }: Client): Promise<void> {
  const copy = new EventCopy({ origin: () => origin, shape: 'items', caller: new Holder('public', null) });
  await delay(5_000);
  await copy.stop();
}

let changes = 0;

/** Adds an attribute to a model, and removes it the next time. */
function changeModel(client: Client): Promise<unknown> {
  changes += 1;
  return client.changeModel(changes % 2 === 0 ? {} : { note: { type: 'string' } });
}

const list = (path: string) => (client: Client) => client.json('GET', path);

/** All work, with its pace. Lists that are equal from turn to turn may be answered from memory, others are not. */
export const works: readonly Work[] = [
  { name: 'list, always the same', every: 50, turn: list('/api/items?pagination[pageSize]=25&populate=owner') },
  {
    name: 'list by a value',
    every: 100,
    turn: (client) => client.json('GET', `/api/items?filters[value][$gt]=${String(random(1_000))}&sort=value&populate=owner`),
  },
  {
    name: 'list by a related entry',
    every: 150,
    turn: (client) => client.json('GET', `/api/items?filters[owner][name][$eq]=${String(1 + random(20))}`),
  },
  { name: 'GraphQL', every: 150, turn: readGraph },
  { name: 'create', every: 200, turn: create },
  { name: 'update', every: 150, turn: update },
  { name: 'delete', every: 1_000, turn: async (client) => (items.length > 100 ? remove(client) : create(client)) },
  { name: 'update with a key', every: 400, turn: (client) => update(client, randomUUID()) },
  { name: 'create again with its key', every: 1_000, turn: repeat },
  { name: 'push', every: 500, turn: push },
  { name: 'agent', every: 500, turn: askAsAgent },
  { name: 'listener', every: 250, turn: follow },
  { name: 'model', every: 15_000, turn: changeModel },
];
