import { ApiError, unavailableError, validationError } from '#base/errors.js';
import { countExceeded } from '#base/limits/exceeded.js';
import type { Values } from '#base/values.js';
import { envelopeError, isBug } from '#http/error-response.js';
import type { RouteCall } from '#http/route.js';
import { uidsOf } from '#model/schema/content-type.js';
import type { RowSources } from '../rest/batch/batch-rows.js';
import type { Outcome } from './carry-out.js';
import { type CheckedWrite, checkWrites } from './checked-writes.js';
import { type EntryNames, mapNames, NameUnknown } from './names.js';
import type { PushWrite } from './read-push.js';
import { repeatWrite, runWrite, type WriteResult } from './run-write.js';

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
  const { writes: checked, names } = await checkWrites(writes, call, sources);
  const push = new Push(call, names);
  const answers: WriteAnswer[] = [];
  for (const write of checked) answers.push(await push.answer(write));
  if (push.passing !== null && answers.every(({ status }) => status === 'waiting')) throw push.passing;
  return answers;
}

class Push {
  readonly #call: RouteCall;
  readonly #names: EntryNames;
  /** The entries of writes that were not applied. */
  readonly #blocked = new Set<string>();
  /** Whether a write has spent a part of the budget. */
  #hasSpent = false;
  /** The first error after which a write may succeed when it is pushed again; null if there is none. */
  passing: ApiError | null = null;

  constructor(call: RouteCall, names: EntryNames) {
    this.#call = call;
    this.#names = names;
  }

  async answer(checked: CheckedWrite): Promise<WriteAnswer> {
    const { database } = this.#call.content.store;
    if (database.sender?.signal.aborted === true) throw unavailableError('The request has ended');
    const { write } = checked;
    const id = this.#idOf(write);
    const entries = [id, write.id].map((one) => `${write.type} ${String(one)}`);
    const answer = this.#isSpent
      ? waiting(write, id)
      : ((await this.#repeat(checked, id)) ?? (await this.#begin(checked, { id, entries })));
    if (answer.status !== 'applied') for (const entry of entries) this.#blocked.add(entry);
    return answer;
  }

  /** Returns the answer to a write that was carried out before, whatever its caller may do now; null if it was not. */
  async #repeat({ write, key, keptType: uid }: CheckedWrite, id: number | string): Promise<WriteAnswer | null> {
    if (uid === null) return null;
    return this.#tried({ write, key }, id, () => repeatWrite({ clientWrite: write, key, uid }, this.#call));
  }

  async #begin(checked: CheckedWrite, { id, entries }: { readonly id: number | string; readonly entries: readonly string[] }) {
    const { write } = checked;
    if (entries.some((entry) => this.#blocked.has(entry))) return waiting(write, id);
    return (await this.#tried(checked, id, () => this.#carryOut(checked, id))) ?? waiting(write, id);
  }

  /** Whether the writes before have exceeded the budget. */
  get #isSpent(): boolean {
    return this.#call.content.bind.budget.exceeded !== null;
  }

  /** Returns the id of the entry of a write; its name if no entry of the type has it. */
  #idOf({ op, type: name, id }: PushWrite): number | string {
    if (typeof id === 'number' || op === 'create') return id;
    const entry = this.#names.find(id);
    const type = this.#call.content.bind.registry.byPluralName.get(name);
    return entry !== null && type !== undefined && uidsOf(type).includes(entry.uid) ? entry.id : id;
  }

  /** Returns what has become of a write; null if it has no result. */
  async #tried(
    { write, key }: Pick<CheckedWrite, 'write' | 'key'>,
    id: number | string,
    run: () => Promise<WriteResult | null>,
  ): Promise<WriteAnswer | null> {
    const { budget } = this.#call.content.bind;
    const mayExceed = this.#hasSpent;
    budget.beginChange();
    try {
      const result = await run();
      if (result === null) return null;
      if (write.op === 'create') this.#names.add(String(write.id), { uid: result.uid, id: result.outcome.id, key });
      return { key: write.key, ...this.#within(result) };
    } catch (error) {
      if (error instanceof NameUnknown) return waiting(write, id);
      if (isPassing(error)) {
        this.passing ??= error;
        return { ...waiting(write, id), error: { ...envelopeError(error).error } };
      }
      return mayExceed && error === budget.exceeded ? waiting(write, id) : this.#refused(error, write, id);
    } finally {
      this.#hasSpent = true;
    }
  }

  /** Returns the outcome of a write. If one that was carried out before exceeds the budget, it waits, or is alone and shows no entry. */
  #within({ outcome, isRepeated }: WriteResult): Outcome {
    const { budget } = this.#call.content.bind;
    const { attributes, ...others } = outcome;
    if (!isRepeated || attributes === undefined) return outcome;
    const bytes = Buffer.byteLength(JSON.stringify(attributes));
    if (!this.#hasSpent && bytes > budget.remaining('answerBytes')) return others;
    budget.spend('answerBytes', bytes);
    return outcome;
  }

  async #carryOut({ write, key, allow }: CheckedWrite, id: number | string): Promise<WriteResult> {
    const { registry } = this.#call.content.bind;
    const allowed = allow();
    const found = (name: string, target: string | null): number => {
      const entry = this.#names.find(name);
      if (entry === null) throw new NameUnknown();
      if (target !== null && !uidsOf(registry.types.get(target) ?? { uid: target }).includes(entry.uid))
        throw validationError(`${name} is an entry of ${entry.uid}, expected ${target}`);
      return entry.id;
    };
    if (write.op !== 'create' && typeof id === 'string') found(id, allowed.type.uid);
    const named = { ...allowed, write: mapNames(allowed, registry, found) };
    const sent = { ...named, clientWrite: write, key, id: typeof id === 'number' ? id : 0 };
    return runWrite(sent, this.#names, this.#call);
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
