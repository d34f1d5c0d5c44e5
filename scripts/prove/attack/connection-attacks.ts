import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Hit } from './attack.js';
import type { Target } from './target.js';

/**
 * A client that sends a request, and reads its answer only after a time. Status null: the service has cut the answer by then. 599,
 * which counts as a failure: it has not.
 */
function readLate({ port }: Target, path: string, patience: number): Promise<Hit> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    });
    let [beginning, bytes] = ['', 0];
    socket.on('data', (piece: Buffer) => {
      if (bytes === 0) beginning = piece.toString('latin1');
      bytes += piece.length;
    });
    socket.pause(); // a listener for data begins to read
    setTimeout(() => socket.resume(), patience);
    socket.on('error', () => undefined).on('close', () => resolve({ status: lateStatus(beginning, bytes), bytes }));
  });
}

function lateStatus(beginning: string, bytes: number): number | null {
  if (bytes < lengthOf(beginning)) return null;
  const status = statusOf(beginning);
  return status === 200 ? 599 : status;
}

/** Returns the size of an answer and its head in bytes, from the beginning of it. */
const lengthOf = (text: string): number =>
  text.indexOf('\r\n\r\n') + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? Infinity);

export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);

/** `server.maxConnections` of the attacked service. */
export const maxConnections = 400;

/** A client that reads 2 kB of its answer ten times a second, and disconnects after a time. */
function readSlowly({ port }: Target, path: string, patience: number): Promise<Hit> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    });
    let status: number | null = null;
    let bytes = 0;
    const sip = setInterval(() => {
      const piece = socket.read(Math.min(2_048, socket.readableLength)) as Buffer | null; // no encoding is set
      if (piece === null) return;
      leave ??= setTimeout(() => socket.destroy(), patience);
      status ??= statusOf(piece.toString('latin1'));
      bytes += piece.length;
    }, 100);
    let leave: NodeJS.Timeout | undefined;
    socket.on('readable', () => undefined); // prevents it from reading by itself
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(sip);
      clearTimeout(leave);
      resolve({ status, bytes });
    });
  });
}

/**
 * Opens connections, sends a request on each, and keeps them until all are answered or cut. If the service answers all of them, it has
 * no limit, and they count as failures.
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
        resolve({ status: statusOf(bytes.toString('latin1')), bytes: bytes.length });
      });
      socket.write('GET /api/tags?pagination[pageSize]=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    });
  });
  const hits = await Promise.all(asked);
  for (const socket of sockets) socket.destroy();
  const isLimited = hits.some(({ status }) => status === null);
  return isLimited ? hits : hits.map((hit) => ({ ...hit, status: 599 }));
}

/** A client that sends many requests at once, and does not read the answers. Status null: the service has cut the connection by then. */
function askAtOnce({ port }: Target, path: string, { count, patience }: { count: number; patience: number }): Promise<Hit> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(count));
    });
    let isCut = false;
    socket.on('error', () => undefined).on('close', () => (isCut = true));
    setTimeout(() => {
      resolve({ status: isCut ? null : 200, bytes: 0 });
      socket.destroy();
    }, patience);
  });
}

/** Attacks by clients that keep their connections. */
export const connectionAttacks: readonly Attack[] = [
  {
    name: 'readers that do not read',
    run: async (target, scale) => {
      const path = '/api/authors?populate=articles&pagination[pageSize]=40';
      const readers = scale === 'full' ? 30 : 15;
      const hits: Promise<Hit>[] = [];
      for (let n = 0; n < readers; n += 1) {
        hits.push(readLate(target, encodeURI(path), scale === 'full' ? 75_000 : 12_000));
        await delay(200);
      }
      return Promise.all(hits);
    },
    besides: [null, 503],
    commands: 25,
    documents: 10_000,
  },
  {
    name: 'readers that read a little at a time',
    run: (target, scale) =>
      Promise.all(
        Array.from({ length: scale === 'full' ? 60 : 15 }, () =>
          readSlowly(
            target,
            encodeURI('/api/authors?populate=articles&pagination[pageSize]=40'),
            scale === 'full' ? 30_000 : 3_000,
          ),
        ),
      ),
    besides: [503],
    commands: 25,
    documents: 10_000,
  },
  {
    name: 'requests that do not wait for answers',
    run: (target, scale) =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          askAtOnce(target, encodeURI('/api/articles?fields[0]=body&pagination[pageSize]=60'), {
            count: 1_000,
            patience: scale === 'full' ? 10_000 : 1_000,
          }),
        ),
      ),
    besides: [null],
    commands: 25,
    documents: 2_000,
  },
  {
    name: 'more connections than are allowed',
    run: (target) => crowd(target, maxConnections + 100),
    besides: [null],
    commands: 3,
    documents: 3,
  },
];
