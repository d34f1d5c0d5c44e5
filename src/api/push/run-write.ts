import { type ContentContext, withoutBudget } from '#content/content-context.js';
import { untilReady } from '#content/run-write.js';
import { notFoundError, validationError } from '#base/errors.js';
import { checkRight } from '#http/authorize.js';
import { accessDigest, contentDigest, keyId } from '#http/idempotency/read-key.js';
import { answerOnce, Undone } from '#http/idempotency/run-once.js';
import type { Answer, RouteCall } from '#http/route.js';
import { actionOf, allows } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import { findKey } from '#store/stores/key-store.js';
import { findOwnRow, type RowSources } from '../rest/batch/batch-rows.js';
import { requiresIfMatch } from '../rest/type-options.js';
import { carryOut, Conflict, type Outcome, type TypedWrite } from './carry-out.js';
import { readView } from './entry-view.js';
import { type EntryNames, nameTaken } from './names.js';
import type { PushWrite } from './read-push.js';

/** A write whose names are resolved, and in the form in which it was sent, which its key stands for. */
interface SentWrite extends Omit<TypedWrite, 'isGuarded'> {
  readonly sent: PushWrite;
}

interface Parts {
  readonly call: RouteCall;
  readonly sources: RowSources;
}

/** What is stored for the key of a write. */
interface Kept {
  readonly outcome: Outcome;
  /** A digest of the rights with which the entry was shown; null if the write was a conflict. */
  readonly access: string | null;
}

/**
 * Carries out a write once, by its key, if the caller has the right of the single request. Returns what it has done, or what it did
 * before. Throws the errors of the single request, and a 422 if the key was used for another write.
 */
export async function runWrite(
  write: SentWrite,
  names: EntryNames,
  { call, sources }: Parts,
): Promise<{ readonly outcome: Outcome; readonly isReplayed: boolean }> {
  const { type, sent } = write;
  const id = keyId(call.caller, sent.key, 'push');
  const check = (): void => checkWrite(write, { call, sources });
  await unlessStored(id, call, check);
  const access = accessDigest(call.caller.access);
  const named = sent.op === 'create' ? names.find(String(sent.id)) : null;
  if (named !== null && named.key !== id) throw nameTaken(String(sent.id));
  await untilReady(type, call.content);
  const keyed = { id, fingerprint: contentDigest({ ...sent, key: undefined }), access: '' };
  const run = async (content: ContentContext): Promise<Answer> => {
    check();
    const outcome = await carryOut({ ...write, isGuarded: requiresIfMatch(type) }, content).catch(undo);
    const entry = { uid: type.uid, id: outcome.id, key: id };
    if (sent.op === 'create') await names.store(String(sent.id), entry, content.store.database);
    return { body: { outcome, access } satisfies Kept };
  };
  const again = (): Promise<Answer> => answerOnce(call, keyed, run);
  const { body, headers } = await again().catch((error: unknown) => afterCommit(error, call, again));
  const kept = body as Kept; // of `run`
  if (sent.op === 'create') names.add(String(sent.id), { uid: type.uid, id: kept.outcome.id, key: id });
  return { outcome: await shownNow(kept, { type, access, call }), isReplayed: headers?.['Idempotency-Replayed'] !== undefined };
}

/** Throws the error of a check, unless the write was carried out before: then it is told so, whatever its caller may do now. */
async function unlessStored(id: string, { content }: RouteCall, check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    if ((await findKey(content.store.database, id)) === null) throw error;
  }
}

/** Ends the transaction of a write that is a conflict, of which nothing is stored. */
function undo(error: unknown): never {
  throw error instanceof Conflict ? new Undone({ body: { outcome: error.outcome, access: null } satisfies Kept }) : error;
}

const methods = { create: 'POST', update: 'PUT', delete: 'DELETE' } as const;

const actions = ['find', 'findOne', 'create', 'update', 'delete'];

/**
 * Throws the error of a caller without the right, which is a 404 without any right on the type; and a ValidationError if code of the
 * project has a part in the single request.
 */
function checkWrite({ type, write: { op } }: SentWrite, { call: { caller, running }, sources }: Parts): void {
  if (!actions.some((action) => allows(caller.access, actionOf(type, action)))) throw notFoundError();
  const path = `/${type.pluralName}${op === 'create' ? '' : '/1'}`;
  const found = findOwnRow({ method: methods[op], path }, { ...sources, running });
  if (found === null)
    throw validationError(
      `${methods[op]} of ${type.pluralName} is answered or guarded by code of the project, so it cannot be pushed`,
    );
  for (const action of [found.row.action, ...(found.row.others ?? [])]) checkRight(caller, action);
}

/** Returns the answer of a write that is stored although code after it has failed, and reports the failure. Otherwise throws it. */
function afterCommit(error: unknown, call: RouteCall, again: () => Promise<Answer>): Promise<Answer> {
  const { content, request, running } = call;
  if (!content.bind.budget.hasChanged) throw error;
  const { requestId, method, path } = request;
  running.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
  return again();
}

/**
 * Returns an outcome as the caller may see it now: the entry is read again if their rights have changed since, and not shown if it cannot
 * be read, because the write is stored.
 */
async function shownNow(
  { outcome, access }: Kept,
  now: { readonly type: ContentType; readonly access: string; readonly call: RouteCall },
) {
  const { attributes, ...others } = outcome;
  if (attributes === undefined || access === null || access === now.access) return outcome;
  const isReader = ['find', 'findOne'].some((action) => allows(now.call.caller.access, actionOf(now.type, action)));
  const view = isReader ? await readView(now.type, outcome.id, withoutBudget(now.call.content)).catch(() => null) : null;
  return view === null ? others : { ...others, attributes: view.attributes };
}
