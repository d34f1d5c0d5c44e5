import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { every } from '#base/limits/timers.js';
import type { ServerConfig } from '#settings/config.js';
import { mostAnswerBytes } from './count-memory.js';

type SendLimits = Pick<ServerConfig, 'sendTimeout' | 'sendRate' | 'answersLimit'>;

/** The limits for slow clients. */
interface Patience {
  /** Maximum number of milliseconds for which a client may read nothing, or be slower than the rate. */
  readonly milliseconds: number;
  /** Minimum number of bytes per second. */
  readonly rate: number;
}

/**
 * Closes connections whose client reads nothing of an answer for too long, or reads too slowly, so that unread answers do not
 * stay in memory. If all unread answers together are too large, stricter limits apply, to the slowest clients first. Unlike for
 * the timeouts of Node, bytes that the client sends meanwhile do not count.
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
  server.once('close', every(Math.min(sendTimeout, 4_000) / 4, cut));
}

/** The progress of a client in reading an answer. */
interface Progress {
  /** Bytes of the connection that the client had read at the first and at the last check. */
  readonly first: number;
  readonly sentBytes: number;
  /** Time when the client was last seen to read. */
  readonly since: number;
  /** Time of the last check, and the milliseconds in which there was something to read until then. */
  readonly looked: number;
  readonly waited: number;
}

/** An answer that the client has not read completely. */
interface Untaken {
  readonly socket: Socket;
  readonly bytes: number;
  /** Milliseconds since the client was last seen to read. */
  readonly stall: number;
  readonly progress: Progress;
}

/** Returns the progress of an answer after another check. `isOver` is whether the client has read all of it. */
function nextProgress(
  last: Progress | undefined,
  { sent, isOver, now }: { readonly sent: number; readonly isOver: boolean; readonly now: number },
): Progress {
  if (last === undefined) return { first: sent, sentBytes: sent, since: now, looked: now, waited: 0 };
  const isMoving = isOver || sent !== last.sentBytes;
  return {
    first: last.first,
    sentBytes: sent,
    since: isMoving ? now : last.since,
    looked: now,
    waited: last.waited + (isOver ? 0 : now - last.looked),
  };
}

function isTooSlow({ stall, progress: { first, sentBytes, waited } }: Untaken, { milliseconds, rate }: Patience): boolean {
  const behind = waited - ((sentBytes - first) / rate) * 1_000;
  return stall >= milliseconds || behind >= milliseconds;
}

/**
 * Returns the number of bytes that the operating system has not accepted yet. The stream counts a chunk until all of it is
 * accepted; the handle counts bytes.
 */
function untakenBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : null;
  const waiting = socket.writableLength;
  return typeof queued === 'number' && waiting > 0 ? queued : waiting;
}
