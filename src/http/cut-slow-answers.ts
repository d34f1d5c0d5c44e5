import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerConfig } from '../config/config.js';
import { mostAnswerBytes } from './count-memory.js';

type SendLimits = Pick<ServerConfig, 'sendTimeout' | 'sendRate' | 'answersLimit'>;

/** The limits for clients that read slowly. */
interface Patience {
  /** Milliseconds for which a client may take nothing, or be behind the rate. */
  readonly milliseconds: number;
  /** Bytes in a second. */
  readonly rate: number;
}

/**
 * Ends connections whose client reads nothing of an answer for too long, or too slowly, so that unread answers do not stay in memory.
 * If the unread answers of all clients together are too large, the slowest clients are cut sooner. Bytes that the client sends meanwhile do not
 * count, unlike in the timeouts of Node.
 */
export function cutSlowAnswers(server: Server, underWay: ReadonlySet<ServerResponse>, limits: SendLimits): void {
  const { sendTimeout, sendRate, answersLimit } = limits;
  const progress = new WeakMap<ServerResponse, Progress>();
  const usual: Patience = { milliseconds: sendTimeout, rate: sendRate };
  const crowded: Patience = { milliseconds: Math.min(sendTimeout, 1_000), rate: 16 * sendRate };
  const mostUntaken = mostAnswerBytes(answersLimit) / 2;
  const lookAt = (response: ServerResponse, now: number): Untaken[] => {
    const { socket } = response;
    if (socket === null || !response.headersSent) return [];
    const bytes = untakenBytes(socket);
    const current = nextProgress(progress.get(response), { sent: socket.bytesWritten - bytes, isOver: bytes === 0, now });
    progress.set(response, current);
    return [{ socket, bytes, stall: now - current.since, progress: current }];
  };
  const cut = (): void => {
    const now = performance.now();
    const untaken = [...underWay].flatMap((response) => lookAt(response, now)).sort((a, b) => b.stall - a.stall);
    let total = untaken.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const one of untaken) {
      if (!isTooSlow(one, total > mostUntaken ? crowded : usual)) continue;
      one.socket.destroy();
      total -= one.bytes;
    }
  };
  const timer = setInterval(cut, Math.min(sendTimeout, 4_000) / 4).unref();
  server.once('close', () => {
    clearInterval(timer);
  });
}

/** How the client of an answer takes it. */
interface Progress {
  /** Bytes of the connection that the client had taken at the first check, and at the last one. */
  readonly first: number;
  readonly sent: number;
  /** When it has last taken any. */
  readonly since: number;
  /** The time of the last check, and the milliseconds until then in which there was something to take. */
  readonly looked: number;
  readonly waited: number;
}

/** An answer that is not taken. */
interface Untaken {
  readonly socket: Socket;
  readonly bytes: number;
  /** Milliseconds since the client has last taken any. */
  readonly stall: number;
  readonly progress: Progress;
}

/** Returns the progress of an answer after another look at its socket. `isOver`: the client has taken all of it. */
function nextProgress(
  last: Progress | undefined,
  { sent, isOver, now }: { readonly sent: number; readonly isOver: boolean; readonly now: number },
): Progress {
  if (last === undefined) return { first: sent, sent, since: now, looked: now, waited: 0 };
  const isMoving = isOver || sent !== last.sent;
  return {
    first: last.first,
    sent,
    since: isMoving ? now : last.since,
    looked: now,
    waited: last.waited + (isOver ? 0 : now - last.looked),
  };
}

function isTooSlow({ stall, progress: { first, sent, waited } }: Untaken, { milliseconds, rate }: Patience): boolean {
  const behind = waited - ((sent - first) / rate) * 1_000;
  return stall >= milliseconds || behind >= milliseconds;
}

/** Bytes that the operating system has not taken yet. The stream counts a chunk until all of it is taken; the handle counts bytes. */
function untakenBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : null;
  const waiting = socket.writableLength;
  return typeof queued === 'number' && waiting > 0 ? queued : waiting;
}
