import { isDeepStrictEqual } from 'node:util';
import type {
  CodeHooks,
  ContentContext,
  PendingWrite,
  SurroundedReads,
  WriteAction,
  WriteHook,
} from '#content/content-context.js';
import { hasId } from '#model/query/entry-access.js';
import { refuseOrLog } from '#content/refuse-or-log.js';
import { limitsOfCode } from '#api/code/content-of-code.js';
import { entityOf } from '#api/code/entity-service.js';
import { scalarsOf } from '#api/code/rows.js';
import { readEntry } from '#store/read/read-entry.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import type { Notices } from '#base/notices.js';
import { copyPlain, isRecord, type Values } from '#base/values.js';
import { changedAnswer } from './changed-entries.js';
import type { CodeTransactions } from './code-transactions.js';
import { engineFilter, type EngineParameters } from './translate-query.js';
import { describeAnswer, ignoredChanges } from './translate-read.js';
import { createSurroundedReads, readKinds, type ReadHooks, type ReadKind } from './surrounded-reads.js';
import { ModelListeners } from './model-listeners.js';
import { describeModel, type StrapiModel } from './describe-model.js';
import type { LifecycleAction, LifecycleEvent, Listener, Subscriber, WriteKind } from './lifecycle-events.js';

interface LifecyclesInput {
  /** Returns the context of code after a commit. */
  readonly content: () => ContentContext;
  readonly transactions: CodeTransactions;
  readonly notices: Notices;
  /** Returns the listener of the service itself, which is called last, and even if those of the project are disabled. */
  readonly own: (action: LifecycleAction) => Listener | null;
}

type States = Map<object, Record<string, unknown>>;
type Event = Pick<LifecycleEvent, 'params' | 'result'> & { readonly model: StrapiModel };

/** `strapi.db.lifecycles`: the hooks of a project around reads and writes. */
export class Lifecycles implements CodeHooks, ReadHooks {
  readonly #input: LifecyclesInput;
  #subscribers: readonly Subscriber[] = [];
  /** The listeners of models by uid. As in Strapi v4, they are called before those of `subscribe`. */
  readonly ofModels = new ModelListeners((uid) => {
    this.#tellUnheard(uid);
    this.#change(this.#subscribers);
  });
  #isEnabled = true;
  #ofService: CodeHooks | null = null;
  readonly #surrounded = createSurroundedReads(this);
  /** Whether a type has hooks of reads, by uid. Computed again after subscribers have changed. */
  #read = new Map<string, boolean>();

  constructor(input: LifecyclesInput) {
    this.#input = input;
  }

  /** Adds a subscriber. Returns a function that removes it. Throws an Error if it is not a function or an object. */
  readonly subscribe = (subscriber: Subscriber): (() => void) => {
    const given: unknown = subscriber;
    if (typeof given !== 'function' && (typeof given !== 'object' || given === null))
      throw new Error('Invalid subscriber. Expected function or object');
    if (typeof subscriber === 'object') for (const uid of subscriber.models ?? []) this.#tellUnheard(uid);
    this.#change([...this.#subscribers, subscriber]);
    return () => {
      this.#change(this.#subscribers.filter((other) => other !== subscriber));
    };
  };

  /** Adds the listeners that a module exports for a content type. Returns whether there are any. */
  subscribeTo(uid: string, listeners: unknown): boolean {
    if (!isRecord(listeners)) return false;
    this.ofModels.set(uid, { ...this.ofModels.of(uid), ...listeners });
    return true;
  }

  get ofService(): CodeHooks {
    return (this.#ofService ??= new Lifecycles(this.#input));
  }

  readonly clear = (): void => {
    this.ofModels.clear();
    this.#change([]);
  };

  readonly disable = (): void => {
    this.#change(this.#subscribers, false);
  };

  readonly enable = (): void => {
    this.#change(this.#subscribers, true);
  };

  /** Tells that a model has no lifecycles, by the form of its uid. */
  #tellUnheard(uid: string): void {
    const reason = uid.includes('::')
      ? 'it belongs to the admin panel'
      : 'components are stored in their entry; change event.params.data of its lifecycles';
    if (/^(admin|strapi)::|^[^:]*$/.test(uid)) this.#input.notices.logOnce(`lifecycles of ${uid} never run: ${reason}`);
  }

  #change(subscribers: readonly Subscriber[], isEnabled = this.#isEnabled): void {
    this.#subscribers = subscribers;
    this.#isEnabled = isEnabled;
    this.#read = new Map();
  }

  reads(uid: string): SurroundedReads | null {
    const isRead = this.#read.get(uid) ?? readKinds.some((kind) => this.hasListeners(uid, kind));
    this.#read.set(uid, isRead);
    return isRead ? this.#surrounded : null;
  }

  hasListeners(uid: string, kind: ReadKind | WriteKind): boolean {
    return this.#pairs(uid, `before${kind}`).length + this.#pairs(uid, `after${kind}`).length > 0;
  }

  find(uid: string, action: WriteAction): WriteHook | null {
    const kind = kindOf(action);
    if (!this.hasListeners(uid, kind) && !this.#hearsAnswer(uid, action)) return null;
    const isBefore = action === 'delete' || this.#pairs(uid, `before${kind}`).length > 0;
    return { isBefore, begin: (write, context) => this.#begin(write, context) };
  }

  /** Returns whether there is code around the read of the entry that a write returns. */
  #hearsAnswer(uid: string, action: WriteAction): boolean {
    return (action === 'create' || action === 'update') && this.hasListeners(uid, 'FindOne');
  }

  async run<Params extends object, Result>(
    kind: ReadKind,
    { uid, params }: { readonly uid: string; readonly params: Params },
    read: (params: Params) => Promise<Result>,
  ): Promise<Result> {
    if (!this.hasListeners(uid, kind)) return read(params);
    const type = this.#input.content().bind.registry.types.get(uid);
    const event: Event = { params: { ...params }, ...(type !== undefined && { model: describeModel(type) }) } as Event; // checked
    const states: States = new Map();
    await this.#call(`before${kind}`, event, states);
    const result = await read(event.params as Params); // hooks may have changed it
    const after = { ...event, result };
    await this.#call(`after${kind}`, after, states);
    return after.result;
  }

  async #begin(write: PendingWrite, context: ContentContext): ReturnType<WriteHook['begin']> {
    const { action, type, data, where, id = 0 } = write;
    const kind = kindOf(action);
    const params = {
      ...(where && { where }),
      ...(data !== undefined && { data: copyPlain(data) }),
      ...(write.query && describeAnswer(write.query)),
    };
    const event: Event = { model: describeModel(type), params };
    const states: States = new Map();
    const given = { ...params, ...(where && { where: copyPlain(where) }) };
    await this.#input.transactions.run(context.store.database, () => this.#call(`before${kind}`, event, states));
    const isOther = where !== undefined && write.selection === null && !isDeepStrictEqual(params.where, given.where);
    refuseOrLog(ignoredChanges(isOther ? { ...params, where: given.where } : params, given, type.uid), context);
    const listens = this.#pairs(type.uid, `after${kind}`).length > 0 || this.#hearsAnswer(type.uid, action);
    const deleted = listens && action === 'delete' ? await readResult(write, id, context) : null;
    return {
      data: isDeepStrictEqual(params.data, data) ? data : params.data,
      ...(isOther && { filter: engineFilter({ where: params.where }, limitsOfCode(context.bind.limits)) }),
      finish: async (written) => {
        if (!listens) return null;
        const entry = deleted ?? ('count' in written ? null : await readResult(write, written.id, this.#input.content()));
        const result: unknown = 'count' in written ? written : await this.#readAnswer(write, entry, params);
        await this.#call(`after${kind}`, { ...event, result }, states);
        return entry === null ? null : changedAnswer(Object(result) as Values, entry, { ...write, bind: context.bind });
      },
    };
  }

  /** Returns the entry that a write returns, together with the code around its read, as in Strapi v4. */
  async #readAnswer(
    { type: { uid }, action }: PendingWrite,
    entry: LoadedEntry | null,
    params: EngineParameters,
  ): Promise<unknown> {
    if (entry === null || !this.#hearsAnswer(uid, action)) return entry && entityOf(entry);
    const { select, populate } = params;
    const where = { id: entry.document['_id'] };
    const read = { where, ...(select !== undefined && { select }), ...(populate !== undefined && { populate }) };
    return this.run('FindOne', { uid, params: read }, () => Promise.resolve(entityOf(entry)));
  }

  async #call(action: LifecycleAction, { model, params, result }: Event, states: States): Promise<void> {
    for (const [subscriber, listener] of this.#pairs(model.uid, action)) {
      const event: LifecycleEvent = { action, model, params, state: states.get(subscriber) ?? {} };
      if (result !== undefined) event.result = result;
      await listener.call(subscriber, event);
      states.set(subscriber, event.state);
    }
  }

  #pairs(uid: string, action: LifecycleAction): readonly (readonly [object, Listener])[] {
    const ofModel = this.#isEnabled ? this.ofModels.pairs(uid, action) : [];
    const others = (this.#isEnabled ? this.#subscribers : []).flatMap((subscriber): (readonly [object, Listener])[] => {
      if (typeof subscriber === 'function') return [[subscriber, subscriber]];
      const listener = subscriber[action];
      const isMeant = subscriber.models === undefined || subscriber.models.includes(uid);
      return isMeant && listener !== undefined ? [[subscriber, listener]] : [];
    });
    const own = this.#input.own(action);
    return [...ofModel, ...others, ...(own === null ? [] : [[own, own] as const])];
  }
}

const kindOf = (action: WriteAction): WriteKind => `${action.charAt(0).toUpperCase()}${action.slice(1)}` as WriteKind; // capitalized

/** Returns the entry with all values, and with what the caller of the write reads back. */
function readResult({ type, selection }: PendingWrite, id: number, { store }: ContentContext): Promise<LoadedEntry | null> {
  const whole = { type, fields: scalarsOf(type), children: selection?.children ?? [], locales: null };
  return readEntry(hasId(id), whole, store.database);
}
