import type { FormattedExecutionResult } from 'graphql';
import { ApiError } from '#base/errors.js';
import { createBudget } from '#base/limits/budget.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { StepStream } from '../../sync/follow.js';
import type { Start, SyncService } from '../../sync/service.js';
import type { Step, SyncChange } from '../../sync/step.js';
import { isReset } from '../../sync/token.js';
import type { Row } from '../../code/rows.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { EntryChange } from '../types/change-types.js';
import type { LiveClient } from './client.js';
import { contextOfEntry } from './entry-form.js';
import type { LiveEndpoint, LiveOperation } from './operation.js';
import type { Outbox } from './outbox.js';

interface SubscriptionInput {
  readonly endpoint: LiveEndpoint;
  readonly operation: LiveOperation;
  readonly client: LiveClient;
  /** The context of changes without an entry. */
  readonly context: GraphqlContext;
  readonly outbox: Outbox<FormattedExecutionResult>;
  /** Aborts when the client takes no more. */
  readonly ends: EndSignal & { abort(): void };
}

/** What several clients of a step receive, by its entries and their tokens. */
const shared = new WeakMap<object, { readonly key: string; readonly result: Promise<FormattedExecutionResult> }>();

/** A client of a subscription. */
export class Subscription implements StepStream {
  readonly #input: SubscriptionInput;
  #tokens: SyncService['tokens'] | null = null;
  #handle = '';
  #token: string | null = null;

  constructor(input: SubscriptionInput) {
    this.#input = input;
  }

  /** Sets where the client begins. */
  begin({ tokens }: SyncService, { position, handle }: Start): void {
    this.#tokens = tokens;
    this.#handle = handle;
    this.#token = tokens.write(position, handle);
  }

  /** A client that loses the connection in the middle of a step begins it again, so only its last change has the token after it. */
  async send({ changes, next, more }: Step): Promise<void> {
    const { ends } = this.#input;
    const [before, after] = [this.#token, this.#tokens?.write(next, this.#handle) ?? null];
    for (const [index, change] of changes.entries()) {
      const isLast = more && index === changes.length - 1;
      await this.#push(changeOf(change, isLast ? after : before));
      if (ends.aborted) return;
    }
    if (!more) await this.#push({ op: 'uptodate', id: null, token: after, entry: null });
    this.#token = after;
  }

  /** The connection has beats of its own. */
  beat(): void {
    return;
  }

  /** A client whose caller sees something else now begins anew. */
  close(error: unknown): void {
    const { outbox, client } = this.#input;
    const hides = error instanceof ApiError && (error.status === 403 || error.status === 404);
    if (isReset(error) || hides) return void this.reset();
    if (error !== null) client.fail(error);
    outbox.end();
  }

  /** Tells the client to begin anew, in the place of all that it has not taken yet. */
  async reset(): Promise<void> {
    const { outbox, ends } = this.#input;
    const result = await this.#complete({ op: 'reset', id: null, token: null, entry: null });
    outbox.replace(result);
    outbox.end();
    ends.abort();
  }

  async #push(change: EntryChange): Promise<void> {
    const { outbox } = this.#input;
    outbox.push(await this.#complete(change));
    if (!(await outbox.ready())) await this.reset();
  }

  #complete(change: EntryChange): Promise<FormattedExecutionResult> {
    const { entry, token } = change;
    if (entry === null) return this.#execute(change, this.#input.context);
    const key = token ?? '';
    const known = shared.get(entry);
    if (known?.key === key) return known.result;
    const result = this.#execute(change, contextOfEntry(entry));
    shared.set(entry, { key, result });
    return result;
  }

  #execute(change: EntryChange, context: GraphqlContext): Promise<FormattedExecutionResult> {
    const { endpoint, operation } = this.#input;
    return endpoint.run(operation, withNewBudget(context), change);
  }
}

const changeOf = (change: SyncChange, token: string | null): EntryChange =>
  change.op === 'delete'
    ? { op: 'delete', id: change.id, token, entry: null }
    : { op: 'upsert', id: change.id, token, entry: change.attributes as Row }; // made by the form of the subscription

/** Each result has a budget of its own, because a stream has any number of them. */
function withNewBudget(context: GraphqlContext): GraphqlContext {
  const { caller, content } = context;
  const budget = createBudget(content.bind.limits, caller.kind === 'public' ? 'public' : 'known');
  return { ...context, content: { ...content, bind: { ...content.bind, budget } }, failures: new Map(), cacheHints: new Map() };
}
