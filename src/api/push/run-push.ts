import { ApiError, notFoundError, unavailableError, validationError } from '#base/errors.js';
import { countExceeded } from '#base/limits/exceeded.js';
import type { Values } from '#base/values.js';
import { envelopeError, isBug } from '#http/error-response.js';
import type { RouteCall } from '#http/route.js';
import { isSynced } from '#http/sync-option.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { RowSources } from '../rest/batch/batch-rows.js';
import type { Outcome } from './carry-out.js';
import { EntryNames, mapNames, NameUnknown } from './names.js';
import { runWrite } from './run-write.js';
import type { PushWrite } from './read-push.js';

/** What has become of a write. */
interface WriteAnswer extends Partial<Omit<Outcome, 'status' | 'id'>> {
  readonly key: string;
  readonly status: Outcome['status'] | 'refused' | 'waiting';
  readonly id: number | string;
  readonly version: string | null;
  readonly error?: Values;
}

/**
 * Carries out the writes of a push in order, each in a transaction of its own, and returns what has become of them. Later writes to the
 * entry of one that was not applied wait, and so does a write whose outcome is unknown, or that may succeed later. Throws the error of the
 * first of these if no other write has an outcome: the client pushes all of them again.
 */
export async function runPush(writes: readonly PushWrite[], call: RouteCall, sources: RowSources): Promise<WriteAnswer[]> {
  const push = new Push(call, sources, await EntryNames.read(writes, call));
  const answers: WriteAnswer[] = [];
  for (const write of writes) answers.push(await push.answer(write));
  if (push.passing !== null && answers.every(({ status }) => status === 'waiting')) throw push.passing;
  return answers;
}

class Push {
  readonly #call: RouteCall;
  readonly #sources: RowSources;
  readonly #names: EntryNames;
  /** The entries of writes that were not applied. */
  readonly #blocked = new Set<string>();
  /** Whether a write has spent a part of the budget. */
  #hasSpent = false;
  /** The first error after which a write may succeed when it is pushed again; null if there is none. */
  passing: ApiError | null = null;

  constructor(call: RouteCall, sources: RowSources, names: EntryNames) {
    this.#call = call;
    this.#sources = sources;
    this.#names = names;
  }

  async answer(write: PushWrite): Promise<WriteAnswer> {
    const { database } = this.#call.content.store;
    if (database.sender?.signal.aborted === true) throw unavailableError('The request has ended');
    const id = this.#idOf(write);
    const entries = [id, write.id].map((one) => `${write.type} ${String(one)}`);
    const isBlocked = entries.some((entry) => this.#blocked.has(entry));
    const answer = isBlocked || this.#isSpent ? waiting(write, id) : await this.#run(write, id);
    if (answer.status !== 'applied') for (const entry of entries) this.#blocked.add(entry);
    return answer;
  }

  /** Whether the writes before have exceeded the budget. */
  get #isSpent(): boolean {
    return this.#call.content.bind.budget.exceeded !== null;
  }

  /** Returns the id of the entry of a write; its name if no entry of the type has it. */
  #idOf({ op, type, id }: PushWrite): number | string {
    if (typeof id === 'number' || op === 'create') return id;
    const entry = this.#names.find(id);
    const { byPluralName } = this.#call.content.bind.registry;
    return entry === null || entry.uid !== byPluralName.get(type)?.uid ? id : entry.id;
  }

  async #run(write: PushWrite, id: number | string): Promise<WriteAnswer> {
    const { content } = this.#call;
    const mayExceed = this.#hasSpent;
    content.bind.budget.beginChange();
    try {
      const { outcome, isReplayed } = await this.#carryOut(write, id);
      this.#hasSpent ||= !isReplayed;
      return { key: write.key, ...outcome };
    } catch (error) {
      this.#hasSpent = true;
      if (error instanceof NameUnknown) return waiting(write, id);
      if (isPassing(error)) {
        this.passing ??= error;
        return { ...waiting(write, id), error: { ...envelopeError(error).error } };
      }
      return mayExceed && error === content.bind.budget.exceeded ? waiting(write, id) : this.#refused(error, write, id);
    }
  }

  #carryOut(write: PushWrite, id: number | string) {
    const { call, names } = { call: this.#call, names: this.#names };
    const { registry } = call.content.bind;
    const type = typeOf(write, call);
    const found = (name: string, target: string | null): number => {
      const entry = names.find(name);
      if (entry === null) throw new NameUnknown();
      if (target !== null && entry.uid !== target)
        throw validationError(`${name} is an entry of ${entry.uid}, expected ${target}`);
      return entry.id;
    };
    if (write.op !== 'create' && typeof id === 'string') found(id, type.uid);
    const named = mapNames(write, registry, found);
    return runWrite({ type, write: named, sent: write, id: typeof id === 'number' ? id : 0 }, names, {
      call,
      sources: this.#sources,
    });
  }

  #refused(error: unknown, write: PushWrite, id: number | string): WriteAnswer {
    const { running, caller, request } = this.#call;
    const { method, path, requestId } = request;
    running.explainRefusal(error, caller);
    countExceeded(error, running.observer);
    if (isBug(error)) running.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
    return { key: write.key, status: 'refused', id, version: null, error: { ...envelopeError(error).error } };
  }
}

const waiting = ({ key }: PushWrite, id: number | string): WriteAnswer => ({ key, status: 'waiting', id, version: null });

/** Returns whether a write may succeed when it is pushed again as it is. */
const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError && ([429, 503].includes(error.status) || error.headers['Retry-After'] !== undefined);

/** Returns the synced type of a write. Throws a NotFoundError if there is none. */
function typeOf({ type: name }: PushWrite, { content }: RouteCall): ContentType {
  const type = content.bind.registry.byPluralName.get(name);
  if (type === undefined || !isSynced(type)) throw notFoundError();
  return type;
}
