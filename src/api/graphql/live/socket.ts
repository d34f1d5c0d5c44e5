import type { WebSocket as ServerSocket } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { Alarm } from '#base/limits/timers.js';
import type { LiveClient } from './client.js';
import { liveQueries } from './live-queries.js';

/** Maximum number of bytes that wait for a client, before its messages wait too. */
const mostWaiting = 1_048_576;

/** Milliseconds in which a client must answer that it closes the connection. */
const closeTimeout = 2_000;

/** A WebSocket as the protocol uses it. It ends if its client is silent, or takes nothing, for 15 s to 30 s. */
export class Socket implements ServerSocket {
  readonly #socket: WebSocket;
  readonly #client: LiveClient;
  #isAlive = true;
  #waiting = 0;

  constructor(socket: WebSocket, client: LiveClient) {
    this.#socket = socket;
    this.#client = client;
    socket.on('error', () => {
      socket.terminate();
    });
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Resolves when the message has left the process, or the connection has ended. */
  send(text: string): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      socket.send(text, () => {
        this.#isAlive = true;
        if (socket.isPaused && socket.bufferedAmount <= mostWaiting) socket.resume();
        resolve();
      });
    });
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
    const alarm = new Alarm(() => this.#socket.terminate(), { ref: false });
    alarm.set(closeTimeout);
    this.#socket.once('close', () => alarm.cancel());
  }

  onMessage(take: (text: string) => Promise<void>): void {
    const { observer } = this.#client.call.running;
    this.#socket.on('message', (data: Buffer) => {
      this.#isAlive = true;
      if (this.#socket.bufferedAmount > mostWaiting) this.#socket.pause();
      take(String(data)).catch((err: unknown) => {
        observer.observe({ kind: 'failed', work: 'graphql request', err });
        this.close(4500, 'Internal server error');
      });
    });
  }

  /** Calls a function every 15 s while the connection is open. */
  watch(check: () => Promise<void>): void {
    const end = liveQueries(this.#client.call.running).beat(() => {
      if (!this.#isAlive && this.#socket.bufferedAmount >= this.#waiting) {
        this.#socket.terminate();
        return;
      }
      this.#isAlive = false;
      this.#waiting = this.#socket.bufferedAmount;
      this.#socket.ping();
      void check();
    });
    this.#socket.once('close', end);
  }
}
