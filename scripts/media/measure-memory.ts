import { request } from 'node:http';
import { Readable } from 'node:stream';
import { createService } from '../../src/create-server.js';
import { startDatabase } from '../start-database.js';

/**
 * Uploads a file (1 GB unless the first argument gives its bytes), downloads it, and prints by how much the memory
 * of the process grew at most. The client is in the same process, which the figure then holds too.
 */
const size = Number(process.argv[2] ?? 1_000_000_000);
const mongo = await startDatabase('ephemeral');
const server = await createService({
  config: {
    server: { host: '127.0.0.1', port: 0 },
    database: { uri: mongo.uri, name: 'memory' },
    api: { open: true },
    plugins: { upload: { config: { sizeLimit: size } }, 'users-permissions': { enabled: false } },
    middlewares: { logger: { level: 'warn' } },
  },
});
await server.start();
const url = server.url.replace('localhost', '127.0.0.1');
await upload(1_000);

const before = process.memoryUsage().rss;
let most = before;
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss);
}, 20);
const grown = (): string => `${((most - before) / 1e6).toFixed(0)} MB more than before`;

let started = performance.now();
const file = await upload(size);
console.log(`uploaded ${(size / 1e6).toFixed(0)} MB in ${((performance.now() - started) / 1000).toFixed(1)} s, ${grown()}`);
most = process.memoryUsage().rss;
started = performance.now();
let received = 0;
const body = (await fetch(url + file)).body;
if (body !== null) for await (const bytes of body) received += (bytes as Uint8Array).length;
console.log(`downloaded ${(received / 1e6).toFixed(0)} MB in ${((performance.now() - started) / 1000).toFixed(1)} s, ${grown()}`);
clearInterval(watch);
await server.stop();
await mongo.stop();

/** Returns the address of the file. */
function upload(bytes: number): Promise<string> {
  const [head, tail] = [
    '--b\r\nContent-Disposition: form-data; name="files"; filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
    '\r\n--b--\r\n',
  ];
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/upload`,
      { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        answer.on('end', () => {
          const [stored] = JSON.parse(text) as { readonly url: string }[];
          resolve(stored?.url ?? '');
        });
      },
    );
    sent.on('error', reject);
    Readable.from(pieces(bytes, head, tail)).pipe(sent);
  });
}

function* pieces(bytes: number, head: string, tail: string): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, 'mangrove');
  yield Buffer.from(head);
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
  yield Buffer.from(tail);
}
