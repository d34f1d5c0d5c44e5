import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { createServer } from '../../src/index.js';
import { nodeOptions } from '../compile-targets.js';
import { startDatabase } from '../start-database.js';
import type { HttpRequest } from './questions.js';
import { type Report, reportToParent, type Usage } from './report-to-parent.js';
import { sendLoad } from './send-load.js';

/** The service, with an address of its own. */
async function serve(uri: string): Promise<void> {
  const server = await createServer({
    config: {
      server: { host: '127.0.0.1', port: 0 },
      database: { uri, name: database },
      api: { open: true, rest: { keepAnswers: { bytes: 0 } }, mcp: { enabled: true, public: true } },
      middlewares: { logger: { level: 'warn' } },
      admin: { enabled: false },
    },
  });
  await server.start();
  reportToParent(server.url);
}

async function compare(): Promise<void> {
  const { uri, stop } = await startDatabase('ephemeral');
  await storeModels(uri);
  const service = fork(fileURLToPath(import.meta.url), [uri], { execArgv: [...process.execArgv, ...nodeOptions] });
  try {
    const { url } = await next(service, 'ready');
    await createEntries(url);
    for (const [revision, requests] of Object.entries(revisions)) await report(revision, requests, { service, url });
  } finally {
    service.kill();
    await stop();
  }
}

interface Served {
  readonly service: ChildProcess;
  readonly url: string;
}

/** Measures in turns, and prints the medians. */
async function report(revision: string, { find, idle }: Requests, served: Served): Promise<void> {
  const asked = { rest, health, find, idle };
  const costs = new Map(Object.keys(asked).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, request] of Object.entries(asked)) {
      const cost = await costOf(request, served);
      if (round > 0) costs.get(name)?.push(cost); // the first round warms up
    }
  const median = (name: keyof typeof asked): number => costs.get(name)?.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
  const protocol = median('idle') - median('health');
  const ratio = (median('find') - protocol) / median('rest');
  const micros = (cost: number): string => `${cost.toFixed(0)} µs`;
  console.log(
    `${revision}: find ${micros(median('find'))}, of which the protocol takes ${micros(protocol)}; the same list over REST ` +
      `${micros(median('rest'))}; find without the protocol is ${ratio.toFixed(2)} times that`,
  );
}

const rounds = 5;
const load = { connections: 8, seconds: 2 };

/** Returns the CPU of a request in microseconds. */
async function costOf(request: HttpRequest, { service, url }: Served): Promise<number> {
  const before = await usageOf(service);
  const { requests } = await sendLoad(url, () => request, load);
  return ((await usageOf(service)).cpu - before.cpu) / requests;
}

function usageOf(service: ChildProcess): Promise<Usage> {
  service.send('usage');
  return next(service, 'usage');
}

/** Returns the next report. Throws if it is of another kind. */
async function next<Kind extends Report['kind']>(service: ChildProcess, kind: Kind) {
  const [message] = (await once(service, 'message')) as [Report]; // as `reportToParent` sends it
  if (message.kind !== kind) throw new Error(`${message.kind} instead of ${kind}`);
  return message as Extract<Report, { kind: Kind }>; // by the line above
}

interface Requests {
  readonly find: HttpRequest;
  /** A message without work. */
  readonly idle: HttpRequest;
}

const accept = 'application/json, text/event-stream';
const revision = '2026-07-28';
const find = { name: 'find', arguments: { type: 'article', sort: 'title', populate: ['author'], limit: 25 } };

const oldMessage = (method: string, params: object): HttpRequest => ({
  ...{ method: 'POST', path: '/mcp', headers: { accept } },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});

function newMessage(method: string, params: object, name?: string): HttpRequest {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = name === undefined ? {} : { 'mcp-name': name };
  return {
    ...{ method: 'POST', path: '/mcp', headers: { accept, 'mcp-protocol-version': revision, 'mcp-method': method, ...named } },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

const revisions: Readonly<Record<string, Requests>> = {
  [revision]: { find: newMessage('tools/call', find, 'find'), idle: newMessage('server/discover', {}) },
  '2025-11-25': { find: oldMessage('tools/call', find), idle: oldMessage('ping', {}) },
};

const list = 'sort=title&populate=author&pagination[cursors]=true&pagination[limit]=25&format=flat';
const rest: HttpRequest = { method: 'GET', path: `/api/articles?${list}` };
const health: HttpRequest = { method: 'GET', path: '/_health' };

const database = 'bench_agents';

const typeOf = (name: string, attributes: object) => ({
  ...{
    kind: 'collectionType',
    collectionName: `${name}s`,
    attributes: { title: { type: 'string', index: true }, ...attributes },
  },
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
});

async function storeModels(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const author = { type: 'relation', relation: 'manyToOne', target: 'api::author.author' };
  const texts = Object.fromEntries(['lead', 'body', 'note', 'slug', 'status'].map((name) => [name, { type: 'text' }]));
  const models = client.db(database).collection<{ _id: string }>('_models');
  await models.insertMany([
    { _id: 'api::author.author', ...typeOf('author', {}) },
    { _id: 'api::article.article', ...typeOf('article', { ...texts, views: { type: 'integer' }, author }) },
  ]);
  await client.close();
}

async function createEntries(url: string): Promise<void> {
  const create = async (path: string, data: object): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data }) };
    const { status } = await fetch(`${url}/api/${path}`, init);
    if (status !== 200) throw new Error(`POST ${path} -> ${String(status)}`);
  };
  for (let index = 1; index <= 20; index++) await create('authors', { title: `author ${String(index)}` });
  for (let index = 1; index <= 200; index++) {
    const text = `text of article ${String(index)} `;
    const texts = { lead: text, body: text.repeat(10), note: text, slug: `article-${String(index)}`, status: 'new' };
    await create('articles', { title: text, ...texts, views: index, author: 1 + (index % 20) });
  }
}

/**
 * Prints the CPU of the service for a list by the tool `find`, for the same list over REST, and for a message without work, which is what
 * the protocol itself takes. The process of the service is this script with the address of its database.
 */
const [, , address] = process.argv;
await (address === undefined ? compare() : serve(address));
