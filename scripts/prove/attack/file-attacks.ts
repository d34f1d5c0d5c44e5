import sharp from 'sharp';
import type { Attack } from './attack.js';
import { send, sendMany } from './send.js';
import type { Target } from './target.js';

const boundary = 'attack';

const part = (disposition: string, type: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);

const multipart = (...parts: readonly Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

const multipartHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'x-apollo-operation-name': 'attack' };

/** Uploads a picture of the most pixels that are allowed. Returns its address. */
async function uploadLargest(target: Target): Promise<string> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const small = await sharp({ create: { width: 1_024, height: 1_024, channels: 3, background: '#808080', noise } })
    .png()
    .toBuffer();
  const picture = await sharp(small).resize(8_190, 8_190).jpeg({ quality: 70 }).toBuffer();
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'largest.jpg');
  const headers = { authorization: `Bearer ${target.token}` };
  const answer = await fetch(`${target.url}/api/upload`, { method: 'POST', body: form, headers });
  const [file] = (await answer.json()) as { readonly url: string }[];
  if (file === undefined) throw new Error('the picture was not stored');
  return file.url;
}

/** The sizes and formats that the service offers, for each picture. */
const orders = [320, 480, 640, 768, 960, 1280, 1600, 1920].flatMap((side) =>
  ['avif', 'webp', 'jpeg', 'png'].flatMap((format) => [
    `?width=${String(side)}&format=${format}`,
    `?height=${String(side)}&format=${format}`,
  ]),
);

/** Attacks on files. */
export const fileAttacks: readonly Attack[] = [
  {
    name: 'every size and format of the largest picture',
    prepare: uploadLargest,
    run: (target, scale, url) => {
      const asked = scale === 'full' ? orders : orders.filter((order) => order.includes('format=jpeg'));
      return sendMany(
        target,
        asked.map((order) => ({ path: `${url}${order}` })),
        asked.length,
      );
    },
    besides: [503],
    commands: 60,
    documents: 200,
  },
  {
    name: 'files for a GraphQL query that takes none',
    run: async (target, scale) => {
      const size = scale === 'full' ? 150_000_000 : 20_000_000;
      const body = multipart(
        part('name="operations"', 'application/json', Buffer.from('{"query":"{tags{data{id}}}","variables":{"f":null}}')),
        part('name="map"', 'application/json', Buffer.from('{"0":["variables.f"]}')),
        part('name="0"; filename="a.bin"', 'application/octet-stream', Buffer.alloc(size, 'a')),
      );
      const headers = { ...multipartHeaders, 'content-length': String(body.length) };
      return [await send(target, { method: 'POST', path: '/graphql', headers, body })];
    },
    refusedBy: 'Files are accepted only',
    commands: 10,
    documents: 10,
  },
  {
    name: 'files that an empty map names not',
    run: async (target, scale) => {
      const size = scale === 'full' ? 150_000_000 : 20_000_000;
      const body = multipart(
        part('name="operations"', 'application/json', Buffer.from('{"query":"{tags{data{id}}}"}')),
        part('name="map"', 'application/json', Buffer.from('{}')),
        part('name="0"; filename="a.bin"', 'application/octet-stream', Buffer.alloc(size, 'a')),
      );
      const headers = { ...multipartHeaders, 'content-length': String(body.length) };
      return [await send(target, { method: 'POST', path: '/graphql', headers, body })];
    },
    refusedBy: 'map names no variable',
    commands: 10,
    documents: 10,
  },
  {
    name: 'an upload by somebody who may not',
    run: async (target, scale) => {
      const size = scale === 'full' ? 100_000_000 : 10_000_000;
      const body = multipart(part('name="files"; filename="a.bin"', 'application/octet-stream', Buffer.alloc(size, 'a')));
      return [await send(target, { method: 'POST', path: '/api/upload', headers: multipartHeaders, body })];
    },
    refusedBy: 'Forbidden',
    commands: 5,
    documents: 10,
  },
];
