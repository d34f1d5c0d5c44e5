import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import type { Attack, Hit } from './attack.js';
import { send, sendMany, times } from './send.js';
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

/**
 * A client that sends a request, and reads its answer only after a time. Status null: the service has cut the answer until then; one
 * that is whole is judged as a failure.
 */
function readLate({ port }: Target, path: string, patience: number): Promise<Hit> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    });
    socket.pause();
    let [bytes, whole] = [0, Infinity];
    socket.on('data', (piece: Buffer) => {
      if (bytes === 0) whole = lengthOf(piece.toString('latin1'));
      bytes += piece.length;
    });
    socket.pause(); // a listener for data begins to read
    setTimeout(() => socket.resume(), patience);
    socket.on('error', () => undefined).on('close', () => resolve({ status: bytes < whole ? null : 599, bytes }));
  });
}

/** Bytes of an answer with its head, by the beginning of it. */
const lengthOf = (text: string): number =>
  text.indexOf('\r\n\r\n') + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? Infinity);

/** `server.maxConnections` of the attacked service. */
export const maxConnections = 400;

/** A client that takes 2 kB of its answer ten times a second, and leaves after a time. */
function readSlowly({ port }: Target, path: string, patience: number): Promise<Hit> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    });
    let status: number | null = null;
    let bytes = 0;
    const sip = setInterval(() => {
      const piece = socket.read(2_048) as Buffer | null; // no encoding is set
      if (piece === null) return;
      leave ??= setTimeout(() => socket.destroy(), patience);
      status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(piece.toString('latin1'))?.[1] ?? 0);
      bytes += piece.length;
    }, 100);
    let leave: NodeJS.Timeout | undefined;
    socket.on('readable', () => undefined); // which keeps it from reading on its own
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(sip);
      clearTimeout(leave);
      resolve({ status, bytes });
    });
  });
}

/**
 * Opens connections, asks by each, and keeps them until all have been answered or cut. A service that answers them all has no limit:
 * they are judged as failures.
 */
async function crowd({ port }: Target, count: number): Promise<Hit[]> {
  const sockets: Socket[] = [];
  const asked = Array.from({ length: count }, async (_, n): Promise<Hit> => {
    await delay(5 * n);
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    return new Promise((resolve) => {
      socket.on('error', () => undefined).on('close', () => resolve({ status: null, bytes: 0 }));
      socket.once('data', (bytes: Buffer) => {
        resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 0), bytes: bytes.length });
      });
      socket.write('GET /api/tags?pagination[pageSize]=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    });
  });
  const hits = await Promise.all(asked);
  for (const socket of sockets) socket.destroy();
  const isLimited = hits.some(({ status }) => status === null);
  return isLimited ? hits : hits.map((hit) => ({ ...hit, status: 599 }));
}

/** Attacks on files and connections. */
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
  {
    name: 'readers that do not read',
    run: async (target, scale) => {
      const path = '/api/authors?populate=articles&pagination[pageSize]=20';
      const readers = scale === 'full' ? 30 : 15;
      const hits: Promise<Hit>[] = [];
      for (let n = 0; n < readers; n += 1) {
        hits.push(readLate(target, encodeURI(path), scale === 'full' ? 75_000 : 12_000));
        await delay(200);
      }
      return Promise.all(hits);
    },
    besides: [null],
    commands: 10,
    documents: 10_000,
  },
  {
    name: 'readers that read a little at a time',
    run: (target, scale) =>
      Promise.all(
        Array.from({ length: scale === 'full' ? 60 : 15 }, () =>
          readSlowly(
            target,
            encodeURI('/api/authors?populate=articles&pagination[pageSize]=20'),
            scale === 'full' ? 30_000 : 3_000,
          ),
        ),
      ),
    commands: 10,
    documents: 10_000,
  },
  {
    name: 'more connections than are allowed',
    run: (target) => crowd(target, maxConnections + 100),
    besides: [null],
    commands: 3,
    documents: 3,
  },
  {
    name: 'bodies that never end',
    run: (target, scale) =>
      Promise.all([...times(scale === 'full' ? 200 : 30, () => ({ path: '' }))].map(() => neverFinish(target))),
    refusedBy: 'Forbidden',
    commands: 5,
    documents: 5,
  },
];

/** A client that announces a long upload that it may not send, and sends it byte by byte. */
function neverFinish({ port }: Target): Promise<Hit> {
  return new Promise((resolve) => {
    let status: number | null = null;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000000\r\n\r\n--b\r\n`,
      );
    });
    const drip = setInterval(() => socket.write('x'), 200);
    const patience = setTimeout(() => {
      status = 599; // judged as a failure: it was never cut
      socket.destroy();
    }, 45_000);
    let refusal = '';
    socket.on('data', (bytes: Buffer) => {
      refusal += bytes.toString('latin1');
      status ??= Number(/^HTTP\/1\.1 (\d+)/.exec(refusal)?.[1] ?? 0);
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
