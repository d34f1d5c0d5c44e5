import { ApiError, notFoundError, validationError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Sender } from '#base/limits/queue.js';
import type { ContentContext } from '#content/content-context.js';
import { checkRight, identifyAgain, type Identifying } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import type { RunningService } from '#http/running.js';
import { isSynced } from '#http/sync-option.js';
import { actionOf } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { LogState } from '#store/stores/change-log.js';
import { bindShape, type Shape, type SyncQuery } from './query.js';
import { handleOf, resetError } from './token.js';

/** The rights of a caller at one moment, and what they are answered. */
export interface View {
  readonly shape: Shape;
  readonly content: ContentContext;
}

/** Finds the caller of a long answer again. */
export type Identify = typeof identifyAgain;

/**
 * One request of a client. Its caller is identified again whenever something is read for it later. While it waits, it keeps as little
 * as possible, because there may be thousands.
 */
export class SyncSession {
  readonly sender: Sender;
  readonly #request: Identifying;
  readonly #running: RunningService;
  /** Equal queries are one object. */
  readonly query: SyncQuery;
  readonly #uid: string;
  readonly #identify: Identify;
  /** What the caller was answered when they were identified last. */
  #shape: Shape;
  #content: ContentContext | null;

  /**
   * Throws a 4xx if the caller lacks the right, or the type is not synced. If `isContinued`, and the client may no longer ask this, it is
   * told to begin anew, so that it deletes what it has. `identify` finds the caller again.
   */
  constructor(call: RouteCall, query: SyncQuery, isContinued: boolean, identify: Identify = identifyAgain) {
    const { request, running, caller, content, ends } = call;
    const type = content.bind.registry.byPluralName.get(request.params['plural'] ?? '');
    if (type === undefined) throw notFoundError();
    checkRight(caller, actionOf(type, 'find'));
    this.#request = { authorization: request.headers.authorization, isLocal: request.isLocal };
    this.#running = running;
    this.#identify = identify;
    this.query = query;
    this.#uid = type.uid;
    this.sender = withoutRequest(content.store.database.sender ?? request.sender, ends);
    this.#shape = isContinued ? shapeAgain(query, type, content) : shapeOf(query, type, content);
    this.#content = content;
  }

  /** What distinguishes callers with the same query: the type and their credentials. */
  get callerKey(): string {
    const { authorization = '', isLocal } = this.#request;
    return `${this.#uid} ${String(isLocal)} ${authorization}`;
  }

  get shape(): Shape {
    return this.#shape;
  }

  /** What reads need. The caller must have been identified since the session waited. */
  get view(): View {
    if (this.#content === null) throw new Error('the caller must be identified again');
    return { shape: this.#shape, content: this.#content };
  }

  /** Forgets what only reads need. */
  release(): void {
    this.#content = null;
  }

  /** Identifies the caller again, and keeps their view. Throws what the next request would be answered. */
  async refresh(): Promise<View> {
    const { shape, content } = await this.identify();
    this.#shape = shape;
    this.#content = content;
    return this.view;
  }

  /** The same, but keeps nothing of it. */
  async identify(): Promise<View> {
    const request = { request: this.#request, action: actionOf(this.#uid, 'find'), sender: this.sender };
    const { caller, content } = await this.#identify(request, this.#running);
    const type = content.bind.registry.types.get(this.#uid);
    if (type === undefined) throw notFoundError();
    checkRight(caller, request.action);
    return { shape: shapeAgain(this.query, type, content), content };
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

/** Throws a 4xx if the type is not synced, or the server cannot. */
function shapeOf(query: SyncQuery, type: ContentType, { bind, store }: ContentContext): Shape {
  if (!isSynced(type))
    throw validationError(`${type.pluralName} are not synced: set pluginOptions.sync.enabled to true in the model ${type.uid}`);
  if (!store.database.isReplicated) throw validationError(withoutReplicas);
  return bindShape(query, type, bind);
}

/** Throws a SyncResetError instead of a ValidationError, because what a client has asked before was valid. */
function shapeAgain(query: SyncQuery, type: ContentType, content: ContentContext): Shape {
  try {
    return shapeOf(query, type, content);
  } catch (error) {
    throw error instanceof ApiError && error.status === 400 ? resetError('Rights or models have changed') : error;
  }
}

export const withoutReplicas = 'Sync needs a replica set or a sharded cluster: a standalone MongoDB server has no change streams';

/** Identifies the callers of sessions at one moment. Those with equal credentials and queries are identified once. */
export class IdentifiedCallers {
  readonly #views = new Map<SyncQuery, Map<string, Promise<View>>>();

  /** Throws what the next request of the session would be answered. */
  viewOf(session: SyncSession): Promise<View> {
    const { query, callerKey } = session;
    const ofQuery = this.#views.get(query) ?? new Map<string, Promise<View>>();
    const view = ofQuery.get(callerKey) ?? session.identify();
    this.#views.set(query, ofQuery.set(callerKey, view));
    return view;
  }
}
