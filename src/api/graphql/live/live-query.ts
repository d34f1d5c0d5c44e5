import type { FormattedExecutionResult } from 'graphql';
import { ReadLog } from '#store/send/database.js';
import { callerKey, identifyClient, type LiveClient } from './client.js';
import type { LiveAnswer, LiveMessage } from './live-answer.js';
import { type LiveEndpoint, type LiveOperation, sharedKey } from './operation.js';
import { Outbox } from './outbox.js';

interface LiveQueryInput {
  readonly operation: LiveOperation;
  readonly client: LiveClient;
  readonly endpoint: LiveEndpoint;
  /** Called once, when the client takes no more. */
  readonly onReturn: () => void;
}

/** What was read for a query. */
export interface Reading {
  readonly result: FormattedExecutionResult;
  readonly reads: ReadLog;
  /** Equal while the caller has the same rights. */
  readonly access: object;
  /** Equal while the models are the same. */
  readonly registry: object;
}

/** A query of one client whose changes are asked for. */
export class LiveQuery {
  readonly client: LiveClient;
  readonly outbox: Outbox<LiveMessage>;
  /** Queries with the same key have the same answers. */
  readonly key: string;
  readonly #endpoint: LiveEndpoint;
  #operation: LiveOperation;
  #revision = 0;
  /** The answer that the client has, and the newest one. */
  #lastAnswer: LiveAnswer | null = null;
  #newest: LiveAnswer | null = null;

  constructor({ operation, client, endpoint, onReturn }: LiveQueryInput) {
    this.client = client;
    this.#endpoint = endpoint;
    this.#operation = operation;
    this.outbox = new Outbox(onReturn);
    this.outbox.onEmpty = () => {
      this.#send();
    };
    const context = endpoint.contextOf(client.ctx, client.call, operation);
    this.key = `${callerKey(client)} ${sharedKey(operation, context)}`;
  }

  /** Identifies the caller again. Throws an ApiError if the credentials are no longer valid. */
  identify(): ReturnType<typeof identifyClient> {
    return identifyClient(this.client);
  }

  /** Reads the answer with the rights and models in force. Throws an ApiError if the credentials are no longer valid. */
  async read(): Promise<Reading> {
    const { client } = this;
    const { ctx, call } = client;
    const reads = new ReadLog(call.running.backend.store.changes.tick());
    const authorized = await identifyClient(client, { reads });
    const snapshot = await this.#endpoint.read();
    const { access } = authorized.caller;
    const { registry } = authorized.content.bind;
    const accepted = this.#endpoint.acceptAgain(this.#operation, snapshot);
    if ('errors' in accepted) return { result: accepted, reads, access, registry };
    this.#operation = accepted;
    const context = this.#endpoint.contextOf(ctx, { ...call, ...authorized }, snapshot);
    return { result: await this.#endpoint.run(accepted, context), reads, access, registry };
  }

  /** Sends an answer to the client. One that has not taken the last message gets the newest answer when it has. */
  show(answer: LiveAnswer): void {
    this.#newest = answer;
    if (this.outbox.isEmpty) this.#send();
  }

  #send(): void {
    const [newest, sent] = [this.#newest, this.#lastAnswer];
    if (newest === null || newest === sent) return;
    this.#lastAnswer = newest;
    if (sent?.equals(newest) === true) return;
    this.#revision += 1;
    this.outbox.push(newest.messageAfter(sent, this.#revision));
  }
}
