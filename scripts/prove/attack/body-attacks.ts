import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Attack, Hit } from './attack.js';
import { statusOf } from './connection-attacks.js';
import { many, type Shot } from './send.js';
import type { Target } from './target.js';

/** A body that is shorter than its announced length. */
interface Unfinished {
  readonly head: readonly string[];
  readonly begun: string;
}

/** A client that sends a body byte by byte. Status 599, which counts as a failure: the service never cut it. */
function neverFinish({ port }: Target, { head, begun }: Unfinished): Promise<Hit> {
  return new Promise((resolve) => {
    let status: number | null = null;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write([...head, '', begun].join('\r\n'));
    });
    const drip = setInterval(() => socket.write('x'), 200);
    const patience = setTimeout(() => {
      status = 599;
      socket.destroy();
    }, 45_000);
    let refusal = '';
    socket.on('data', (bytes: Buffer) => {
      refusal += bytes.toString('latin1');
      status ??= statusOf(refusal);
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(drip);
        clearTimeout(patience);
        resolve({ status, bytes: 0, refusal });
      });
  });
}

/** An upload that the client may not send. */
const unfinishedUpload: Unfinished = {
  head: [
    'POST /api/upload HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 100000000',
  ],
  begun: '--b\r\n',
};

const jsonType = { 'content-type': 'application/json' };

/** Almost the maximum size of a JSON body. */
const mostBody = 1_000_000;

const unfinishedJson: Unfinished = {
  head: [
    'POST /api/articles HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${String(mostBody)}`,
  ],
  begun: `{"data":{"title":"${'x'.repeat(mostBody - 100_000)}`,
};

const articleOf = (text: string): string => JSON.stringify({ data: { title: text } });

/** A kilobyte that decompresses to a megabyte. */
const bomb: Shot = {
  method: 'POST',
  path: '/api/articles',
  headers: { ...jsonType, 'content-encoding': 'gzip' },
  body: gzipSync(articleOf(' '.repeat(mostBody))),
};

/** A list in which every three bytes are an object. */
const brackets = `[${'{},'.repeat(mostBody / 3)}{}]`;

const postJson = (path: string, body: string): Shot => ({ method: 'POST', path, headers: jsonType, body });

const neverFinishMany = (target: Target, body: Unfinished, clients: number): Promise<Hit[]> =>
  Promise.all(Array.from({ length: clients }, () => neverFinish(target, body)));

/** Attacks by bodies of clients that may write nothing. */
export const bodyAttacks: readonly Attack[] = [
  {
    name: 'bodies that never end',
    run: (target, scale) => neverFinishMany(target, unfinishedUpload, scale === 'full' ? 200 : 30),
    refusedBy: 'Forbidden',
    commands: 5,
    documents: 5,
  },
  {
    name: 'large bodies that never end',
    run: (target, scale) => neverFinishMany(target, unfinishedJson, scale === 'full' ? 300 : 100),
    besides: [408, 503, null],
    commands: 5,
    documents: 5,
  },
  {
    name: 'bodies that grow when they are unpacked',
    run: many([3_000, 300], () => bomb, 300),
    refusedBy: 'Forbidden',
    besides: [503],
    commands: 5,
    documents: 5,
  },
  {
    name: 'bodies of brackets',
    run: many([400, 40], () => postJson('/api/articles', `{"data":${brackets}}`), 40),
    refusedBy: 'Forbidden',
    besides: [503],
    commands: 5,
    documents: 5,
  },
  {
    name: 'variables of brackets',
    run: many([400, 40], () => postJson('/graphql', `{"query":"{ __typename }","variables":{"a":${brackets}}}`), 40),
    refusedBy: 'request body has more than 104858 objects and lists',
    besides: [503],
    commands: 5,
    documents: 5,
  },
];
