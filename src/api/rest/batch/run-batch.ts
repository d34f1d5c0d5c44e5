import { countExceeded, inPlaceOf } from '#base/limits/exceeded.js';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ContentContext } from '#content/content-context.js';
import { withDatabase } from '#content/content-context.js';
import { lastAttempt } from '#content/generate-uids.js';
import { waitForIndexes } from '#content/run-write.js';
import { ApiError, fieldErrors, hasCode, unavailableError, validationError } from '#base/errors.js';
import { checkRight } from '#http/authorize.js';
import { envelopeError, isBug } from '#http/error-response.js';
import { onceFor } from '#http/idempotency/run-once.js';
import type { RouteCall } from '#http/route.js';
import { inTransaction } from '#store/send/transaction.js';
import { actionOf } from '#model/query/access.js';
import { isRecord, type Values } from '#base/values.js';
import { findRow, type FoundRow, type RowSources } from './batch-rows.js';
import { checkType, CreatedEntries } from './created-entries.js';
import type { BatchItem } from './read-batch.js';

/** The answer to a request of a batch. */
interface ItemAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A batch that is under way. */
interface Run {
  readonly call: RouteCall;
  readonly sources: RowSources;
  readonly created: CreatedEntries;
}

const begin = (call: RouteCall, sources: RowSources): Run => ({
  call,
  sources,
  created: new CreatedEntries(call.content.bind.registry),
});

/**
 * Runs writes in one transaction. Throws the error of the first one that fails, with its number in `details.index`; nothing is stored
 * then. If other writers have taken a generated value meanwhile, all of them run again.
 */
export async function runTogether(items: readonly BatchItem[], call: RouteCall, sources: RowSources): Promise<ItemAnswer[]> {
  const { database } = call.content.store;
  if (!database.isReplicated)
    throw fieldErrors([
      { path: ['transaction'], message: 'transaction needs a replica set: a standalone server has no transactions' },
    ]);
  for (const type of call.content.bind.registry.types.values()) await waitForIndexes(type, call.content);
  for (let attempt = 0; ; attempt++) {
    let current: number | null = null;
    try {
      return await inTransaction(database, async (open) => {
        const run = begin({ ...call, content: withDatabase(call.content, open) }, sources);
        const answers: ItemAnswer[] = [];
        for (const [index, item] of items.entries()) {
          current = index;
          answers.push(await runItem(item, index, run));
        }
        current = null;
        return answers;
      });
    } catch (error) {
      const isTaken = hasCode(error, 'uid-taken') || hasCode(error, 'id-taken');
      const isStored = current === null; // code after the commit has failed
      if (!isTaken || isStored || attempt === lastAttempt || database.session !== null) throw withIndex(error, current);
    }
  }
}

const withIndex = (error: unknown, index: number | null): unknown =>
  error instanceof ApiError && index !== null
    ? inPlaceOf(error, new ApiError(error.status, error.name, error.message, { ...error, details: { ...error.details, index } }))
    : error;

/**
 * Runs writes one after the other, each on its own, so that failures have no effect on the others. With an Idempotency-Key, each has a
 * key of its own, made of that and its place.
 */
export async function runApart(items: readonly BatchItem[], call: RouteCall, sources: RowSources): Promise<ItemAnswer[]> {
  if (call.content.store.database.session !== null)
    throw fieldErrors([{ path: ['transaction'], message: 'transaction must be true inside another transaction' }]);
  const run = begin(call, sources);
  const answers: ItemAnswer[] = [];
  for (const [index, item] of items.entries())
    answers.push(await runItem(item, index, run).catch((error: unknown) => answerError(error, item, run)));
  return answers;
}

function answerError(error: unknown, { method, path }: BatchItem, { call: { running, caller, request } }: Run): ItemAnswer {
  running.explainRefusal(error, caller);
  countExceeded(error, running.observer);
  const { requestId = '' } = request.sender;
  if (isBug(error)) running.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
  const body = envelopeError(error);
  return { status: body.error.status, body };
}

/** Runs one write as if it was sent on its own. Throws its error. */
async function runItem(item: BatchItem, index: number, { call, sources, created }: Run): Promise<ItemAnswer> {
  const { caller, content, running } = call;
  refuseLate(content);
  const at = ['requests', String(index)];
  const { path, entries } = created.resolvePath(item.path, [...at, 'path']);
  const { row, type, params } = findRow({ ...item, path }, at, { ...sources, running });
  for (const entry of entries) checkType(entry, type.uid, [...at, 'path']);
  for (const action of [row.action, ...(row.others ?? [])]) checkRight(caller, action);
  const body = resolveBody(item.body, { type, row, at, created });
  const headers = { ...item.headers, ...keyIn(call.request.headers) };
  const request = call.request.with(params, { ...item, headers, path: `${sources.prefix}${path}`, body });
  const own = { ...call, request };
  const { status = 200, body: answer } = await row.handle(withKey(own, index));
  const id = item.method === 'POST' ? idIn(answer) : null;
  if (id !== null) created.add(index, { uid: type.uid, id });
  return { status, body: answer };
}

/** Returns a write with the key of its own that it has if it stands alone; in the transaction of the batch it needs none. */
function withKey({ once, ...call }: RouteCall, index: number): RouteCall {
  const { 'idempotency-key': key } = call.request.headers;
  if (once === undefined || typeof key !== 'string' || call.content.store.database.session !== null) return call;
  return {
    ...call,
    once: onceFor(
      call,
      createHash('sha256')
        .update(`${String(index)} ${key}`)
        .digest('hex'),
    ),
  };
}

/** Returns the header of a batch that counts for each of its writes. */
const keyIn = ({ 'idempotency-key': key }: IncomingHttpHeaders): IncomingHttpHeaders =>
  key === undefined ? {} : { 'idempotency-key': key };

/** Throws a 503 if the request has ended, and a ValidationError if the requests before have exceeded the budget of the batch. */
function refuseLate({ store: { database }, bind: { budget } }: ContentContext): void {
  if (database.sender?.signal.aborted === true) throw unavailableError('The request has ended');
  budget.beginChange();
  const { exceeded } = budget;
  if (exceeded !== null)
    throw validationError('The requests before it have exceeded the budget of the batch', exceeded.details ?? {});
}

interface BodyPlace extends Pick<FoundRow, 'type' | 'row'>, Pick<Run, 'created'> {
  readonly at: readonly string[];
}

/** Returns a body with ids in place of references. The body of a localization has no envelope. */
function resolveBody(body: unknown, { type, row, at, created }: BodyPlace): unknown {
  if (!isRecord(body)) return body;
  if (row.action === actionOf(type, 'createLocalization')) return created.resolve(body, type, [...at, 'body']);
  const { data } = body;
  return isRecord(data) ? { ...body, data: created.resolve(data, type, [...at, 'body', 'data']) } : body;
}

/** Returns the id of the entry in an answer, with or without envelope; null if there is none. */
function idIn(answer: unknown): number | null {
  const { data, id } = isRecord(answer) ? answer : ({} as Values);
  const found = isRecord(data) ? data['id'] : id;
  return typeof found === 'number' ? found : null;
}
