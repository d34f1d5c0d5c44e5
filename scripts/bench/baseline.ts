import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { openBaselineFiles } from './baseline-files.js';
import { averageByMonth, countByAuthor, listWithFacets } from './baseline-groups.js';
import { count, type Handler } from './baseline-handler.js';
import {
  encode,
  listByAuthorName,
  listByRating,
  listDrafts,
  listFrom,
  listLastPage,
  listNotes,
  listNotesContaining,
  listNotesOfGroups,
  listOfStatus,
  listOutside,
  listSearched,
} from './baseline-lists.js';
import { answerNested } from './baseline-nested.js';
import { listPages, readPage } from './baseline-pages.js';
import { listNear } from './baseline-places.js';
import { pushNotes, updateNote } from './baseline-push.js';
import { listContaining, listDeep, listNewest, listNewestPopulated, listPage200, readOne } from './baseline-reads.js';
import { keepFiltered } from './baseline-totals.js';
import { createArticle, createArticles, updateArticle } from './baseline-writes.js';
import { reportToParent } from './report-to-parent.js';

/**
 * The lean baseline: the minimum that answers the workload. No router, no validation, no configuration: node:http, and for each
 * row the commands that one would write by hand.
 */
const handlers: Readonly<Record<string, Handler>> = {
  a: listNewest,
  b: listNewestPopulated,
  c: listDeep,
  d: readOne,
  e: createArticle,
  batch: createArticles,
  f: updateArticle,
  'put-key': updateNote,
  push: pushNotes,
  g: answerNested,
  h: listContaining(keepFiltered),
  'h-first': listContaining(count),
  'h-notes': listNotesContaining,
  i: listPage200,
  k: readPage,
  l: listPages,
  j: listLastPage,
  near: listNear,
  none: listOutside,
  o: listNotes,
  'o-fallback': listNotesOfGroups,
  p: listDrafts,
  q: listSearched(keepFiltered),
  'q-first': listSearched(count),
  's-relation': listByAuthorName,
  's-unindexed': listByRating,
  u: listOfStatus,
  v: listFrom,
  'x-author': countByAuthor,
  'x-month': averageByMonth,
  'x-facets': listWithFacets,
};

const [uri = '', database = ''] = process.argv.slice(2);
const client = await MongoClient.connect(uri, { maxPoolSize: 50 });
const db = client.db(database);
const files = openBaselineFiles(db);

const server = createServer((request, response) => {
  if (request.url === '/n') response.writeHead(204).end();
  else answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const parameters = new URLSearchParams(search);
  if (path === '/m-download') {
    await files.download(parameters.get('name') ?? '', response);
    return;
  }
  const value = path === '/m-upload' ? await files.upload(request) : await answerJson(path, parameters, request);
  const text = JSON.stringify(value);
  const encoded = await encode(text, request.headers['accept-encoding']);
  if (encoded !== null) {
    const encoding = { 'content-encoding': request.headers['accept-encoding'], 'content-length': encoded.length };
    response.writeHead(200, { 'content-type': 'application/json', ...encoding }).end(encoded);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

async function answerJson(path: string, parameters: URLSearchParams, request: IncomingMessage): Promise<unknown> {
  const handler = handlers[path.slice(1)];
  if (!handler) throw new Error(`no row ${path}`);
  return handler(db, parameters, request.method === 'GET' ? null : await readJson(request));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

server.listen(0, '127.0.0.1', () => {
  // Listening on a port: the address is never a pipe's name.
  const { port } = server.address() as AddressInfo;
  reportToParent(`http://127.0.0.1:${String(port)}`);
});
