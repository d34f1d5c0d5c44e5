import type { ContentContext } from '#content/content-context.js';
import { ApiError, notFoundError, validationError } from '#base/errors.js';
import { checkRight, identifyAgain, type Identifying } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import type { Running } from '#http/running.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Sender } from '#base/limits/queue.js';
import type { LogState } from '#store/stores/change-log.js';
import { actionOf } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Asked } from './asked.js';
import { bindShape, type Shape } from './shape.js';
import { handleOf, resetError } from './token.js';

/** The rights of a caller at one moment, and what they are answered. */
export interface Sight {
  readonly shape: Shape;
  readonly content: ContentContext;
}

/**
 * One request of a client. Its caller is identified again whenever something is read for it later. While it waits, it keeps as little
 * as possible, because there may be thousands.
 */
export class SyncSession {
  readonly sender: Sender;
  readonly #request: Identifying;
  readonly #running: Running;
  /** Equal queries are one object. */
  readonly asked: Asked;
  readonly #uid: string;
  /** What the caller was answered when they were identified last. */
  #shape: Shape;
  #content: ContentContext | null;

  /**
   * Throws a 4xx if the caller lacks the right, or the type is not synced. A client that `continues` and may no longer ask this is told
   * to begin anew, so that it deletes what it has.
   */
  constructor({ request, running, caller, content, ends }: RouteCall, asked: Asked, continues: boolean) {
    const type = typeAt(request.params['plural'] ?? '', content);
    checkRight(caller, actionOf(type, 'find'));
    this.#request = { authorization: request.headers.authorization, isLocal: request.isLocal };
    this.#running = running;
    this.asked = asked;
    this.#uid = type.uid;
    this.sender = withoutRequest(content.store.database.sender ?? request.sender, ends);
    this.#shape = (continues ? sightAgain(asked, type, content) : sightOf(asked, type, content)).shape;
    this.#content = content;
  }

  /** What distinguishes callers of the same type and query: their credentials. */
  get identity(): string {
    const { authorization = '', isLocal } = this.#request;
    return `${this.#uid} ${String(isLocal)} ${authorization}`;
  }

  get shape(): Shape {
    return this.#shape;
  }

  /** What reads need. The caller must have been identified since the session waited. */
  get sight(): Sight {
    if (this.#content === null) throw new Error('the caller must be identified again');
    return { shape: this.#shape, content: this.#content };
  }

  /** Forgets what only reads need. */
  rest(): void {
    this.#content = null;
  }

  /** Identifies the caller again. Throws what the next request would be answered. */
  async look(): Promise<Sight> {
    const { shape, content } = await this.identify();
    this.#shape = shape;
    this.#content = content;
    return this.sight;
  }

  /** The same, but keeps nothing of it. */
  async identify(): Promise<Sight> {
    const request = { request: this.#request, action: actionOf(this.#uid, 'find'), sender: this.sender };
    const { caller, content } = await identifyAgain(request, this.#running);
    const type = content.bind.registry.types.get(this.#uid);
    if (type === undefined) throw notFoundError();
    checkRight(caller, request.action);
    return sightAgain(this.asked, type, content);
  }

  /** Returns the handle of the answers in an epoch of the log. */
  handle(state: LogState): string {
    return handleOf(this.#shape, state);
  }
}

/** Returns a sender that does not keep its request. */
const withoutRequest = (sender: Sender, ends: EndSignal | undefined): Sender => ({
  client: sender.client,
  ...(sender.caller !== undefined && { caller: sender.caller }),
  requestId: sender.requestId,
  signal: ends ?? sender.signal,
});

function typeAt(plural: string, { bind }: ContentContext): ContentType {
  const type = bind.registry.byPluralName.get(plural);
  if (type === undefined) throw notFoundError();
  return type;
}

/** Throws a 4xx if the type is not synced, or the server cannot. */
function sightOf(asked: Asked, type: ContentType, content: ContentContext): Sight {
  if (!type.synced)
    throw validationError(`${type.pluralName} are not synced: set pluginOptions.sync.enabled to true in the model ${type.uid}`);
  if (!content.store.database.isReplicated) throw validationError(withoutReplicas);
  return { shape: bindShape(asked, type, content), content };
}

/** Throws a SyncResetError instead of a ValidationError, because what a client has asked before was valid. */
function sightAgain(asked: Asked, type: ContentType, content: ContentContext): Sight {
  try {
    return sightOf(asked, type, content);
  } catch (error) {
    throw error instanceof ApiError && error.status === 400 ? resetError('Rights or models have changed') : error;
  }
}

export const withoutReplicas = 'Sync needs a replica set or a sharded cluster: a standalone MongoDB server has no change streams';

/** Returns whether an error says that a token cannot be continued. */
export const isReset = (error: unknown): error is ApiError => error instanceof ApiError && error.name === 'SyncResetError';
