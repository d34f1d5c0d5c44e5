import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

let service;
let url;

before(async () => {
  await rm('data/test', { recursive: true, force: true });
  const env = { ...process.env, NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0' };
  const words = ['node_modules/mangrove/bin/mangrove.cjs', 'start', '--project', '.'];
  service = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: service.stdout })) {
    url = /REST +(http\S+)\/api/.exec(line)?.[1];
    if (url !== undefined) break;
  }
});

after(async () => {
  service.kill();
  await once(service, 'exit');
});

const send = async (path, body) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, body && { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
};

test('a note is served over REST, GraphQL and its own route', async () => {
  const { data } = await send('/api/notes', { data: { title: 'Salt' } });
  assert.equal(data.attributes.title, 'Salt');
  assert.equal((await send('/api/notes/newest')).data.attributes.title, 'Salt');
  const query = '{ notes { data { id attributes { title } } } }';
  const { notes } = (await send('/graphql', { query })).data;
  assert.deepEqual(notes.data, [{ id: String(data.id), attributes: { title: 'Salt' } }]);
});

test('a note needs a title', async () => {
  const { error } = await send('/api/notes', { data: {} });
  assert.equal(error.message, 'title must be defined.');
});
