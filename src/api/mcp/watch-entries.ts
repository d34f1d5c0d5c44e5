import { SharedValues } from '#base/caches.js';
import { ApiError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import { Alarm } from '#base/limits/timers.js';
import { checkRight } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import { isSynced } from '#http/sync-option.js';
import { actionOf, allows } from '#model/query/access.js';
import { comparing } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { Follower, type StepStream } from '../sync/follow.js';
import type { SyncQuery } from '../sync/query.js';
import { syncService } from '../sync/service.js';
import { type Identify, SyncSession } from '../sync/session.js';
import type { Step } from '../sync/step.js';
import { isReset } from '../sync/token.js';
import type { AgentCall } from './agent-call.js';
import { againOf, identifyAgent, type LastingCall } from './identify-agent.js';
import { mayUse } from './served-types.js';

/** Returns whether the caller may follow entries of a type, which needs the rights to read one and to sync them. */
export const mayFollow = (type: ContentType, call: AgentCall): boolean =>
  isSynced(type) &&
  call.content.store.database.isReplicated &&
  mayUse('get', type, call) &&
  allows(call.content.bind.access, actionOf(type, 'find'));

interface WatchInput {
  readonly call: LastingCall;
  readonly type: ContentType;
  readonly ids: readonly number[];
  readonly ends: EndSignal;
  /** Tells the client of changed entries. Resolves when it can take more. */
  readonly notify: (ids: Iterable<number>) => Promise<void>;
  /** Called if the entries can no longer be followed. */
  readonly fail: () => void;
}

/** Milliseconds until entries are followed anew after what the caller sees has changed. */
const pause = 1_000;

/**
 * Follows entries of a type as their copies are: the caller hears of those that it sees, and once of those that it sees no more. After a
 * change of rights or models it hears of all that it sees then or has seen before.
 */
export class EntryWatch implements StepStream {
  readonly #input: WatchInput;
  readonly #query: SyncQuery;
  readonly #identify: Identify;
  #ids: ReadonlySet<number> = new Set();
  /** Those of a first load that is not complete; null if it is. */
  #loading: Set<number> | null = null;
  #isAgain = false;

  constructor(input: WatchInput) {
    this.#input = input;
    this.#query = queryOf(input.type, input.ids);
    const action = actionOf(input.type, 'findOne');
    this.#identify = async (request, running) => {
      const authorized = await identifyAgent(request, running);
      checkRight(authorized.caller, action);
      return authorized;
    };
  }

  /** Begins. Throws an ApiError if the caller may not, or too many requests wait for changes. */
  async start(call: RouteCall): Promise<void> {
    const { type, ends } = this.#input;
    const request = call.request.with({ plural: type.pluralName }, {});
    const session = new SyncSession({ ...call, request, ends }, this.#query, false, this.#identify);
    const service = syncService(call.running);
    const start = await service.start(session, null, ends);
    this.#loading = new Set();
    Follower.start({ service, session, start, ends, stream: this });
  }

  send({ changes, next }: Step): Promise<void> {
    const [loading, seen] = [this.#loading, this.#ids];
    if (loading === null) {
      const gone = new Set(changes.flatMap(({ op, id }) => (op === 'delete' ? [id] : [])));
      const ids = changes.map(({ id }) => id);
      this.#ids = new Set([...seen, ...ids].filter((id) => !gone.has(id)));
      return this.#input.notify(ids);
    }
    for (const { id } of changes) loading.add(id);
    if (next.after !== null) return Promise.resolve();
    const changed = this.#isAgain ? new Set([...seen, ...loading]) : [];
    [this.#ids, this.#loading, this.#isAgain] = [loading, null, true];
    return this.#input.notify(changed);
  }

  /** The stream of the watch has beats of its own. */
  beat(): void {
    return;
  }

  close(error: unknown): void {
    const { ends, fail } = this.#input;
    if (ends.aborted) return;
    if (!isReset(error)) {
      fail();
      return;
    }
    new Alarm(() => void this.#startAgain(), { ref: false }).set(pause);
  }

  async #startAgain(): Promise<void> {
    const { call, ends } = this.#input;
    if (ends.aborted) return;
    this.#isAgain = true; // also if the first load was not complete: its changes are told after this one
    try {
      await this.start(await againOf(call, this.#identify));
    } catch (error) {
      if (!(error instanceof ApiError)) call.running.observer.observe({ kind: 'failed', work: 'agents', err: error });
      this.close(error);
    }
  }
}

/** Equal queries are one object, so that callers with equal credentials are identified once. */
const queries = new SharedValues<SyncQuery>();

const queryOf = ({ uid, localized, draftAndPublish }: ContentType, ids: readonly number[]): SyncQuery =>
  queries.share(`${uid} ${ids.toSorted((a, b) => a - b).join()}`, {
    filter: comparing('id', 'in', ids),
    fields: ['id'],
    locale: localized ? 'all' : null,
    publicationState: draftAndPublish ? 'preview' : null,
  });
