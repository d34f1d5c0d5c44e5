import type { Context } from 'koa';
import { ApiError } from '#base/errors.js';
import { LiveBody } from '#http/live-body.js';
import type { Answer, RouteCall } from '#http/route.js';
import { notRunning } from '#http/running.js';
import { syncHeaders } from '../../sync/service.js';
import { type LiveClient, refuseEntryKey, senderOf } from './client.js';
import { countConnection, type LiveResult, openOperation, type Results } from './connection.js';
import { liveQueries } from './live-queries.js';
import type { LiveEndpoint, LiveOperation } from './operation.js';
import type { Transport } from './transports.js';

interface StreamInput {
  readonly operation: LiveOperation;
  readonly endpoint: LiveEndpoint;
  readonly transport: Transport;
}

/**
 * Answers an operation that lasts with a stream of its results. Throws an ApiError if the caller may not, has a preview token, or too many
 * wait for changes.
 */
export async function answerStream(ctx: Context, call: RouteCall, input: StreamInput): Promise<Answer> {
  refuseEntryKey(call);
  const { operation, endpoint, transport } = input;
  const ends = call.last?.() ?? notRunning();
  const body = new ResultStream(transport);
  const client: LiveClient = {
    ctx,
    call,
    sender: senderOf(ctx, call, ends),
    ends,
    fail: (error) => {
      body.fail(error);
    },
  };
  const leave = countConnection(client);
  const endBeats = liveQueries(call.running).beat(() => {
    body.beat();
  });
  ends.addEventListener('abort', endBeats);
  const finish = (): void => {
    leave();
    endBeats();
  };
  const results = await openOperation(operation, client, endpoint).catch((error: unknown) => {
    finish();
    throw error;
  });
  if ('errors' in results) {
    body.send(results);
    body.complete();
    finish();
  } else {
    ends.addEventListener('abort', () => {
      void results.return();
      body.end();
    });
    void body.sendAll(results).finally(finish);
  }
  return { headers: { ...syncHeaders, 'Content-Type': transport.contentType }, body };
}

/** The texts of results that several clients receive. */
const texts = new WeakMap<LiveResult, string>();

function textOf(result: LiveResult): string {
  const text = texts.get(result) ?? JSON.stringify(result);
  texts.set(result, text);
  return text;
}

/** The body of the answer to an operation that lasts. */
class ResultStream extends LiveBody {
  readonly #transport: Transport;
  #hasFailed = false;

  constructor(transport: Transport) {
    super();
    this.#transport = transport;
    this.write(transport.begin);
  }

  /** Sends results as the client reads them. */
  async sendAll(results: Results): Promise<void> {
    for await (const result of results) {
      this.send(result);
      await this.ready();
    }
    this.complete();
  }

  send(result: LiveResult): void {
    if (!this.#hasFailed) this.write(this.#transport.next(textOf(result)));
  }

  complete(): void {
    if (!this.#hasFailed) this.write(this.#transport.complete);
    this.end();
  }

  /** Ends the stream before its time, so that the client asks again; with an error that it may see if its form has one. */
  fail(error: unknown): void {
    this.#hasFailed = true;
    const isShown = error instanceof ApiError && error.status < 500;
    this.write(this.#transport.failure(isShown ? error.message : 'Internal Server Error'));
    this.end();
  }

  /** Keeps the connection, unless there is something to read. */
  beat(): void {
    if (this.isRead) this.write(this.#transport.beat);
  }
}
