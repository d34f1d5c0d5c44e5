import { type ContentContext, withoutBudget } from '#content/content-context.js';
import { waitForIndexes } from '#content/run-write.js';
import { accessDigest, contentDigest } from '#http/idempotency/read-key.js';
import { answerOnce, storedAnswer, Undone } from '#http/idempotency/run-once.js';
import type { Answer, RouteCall } from '#http/route.js';
import { actionOf, allows } from '#model/query/access.js';
import { requiresIfMatch } from '../rest/type-options.js';
import { carryOut, Conflict, type Outcome, type TypedWrite } from './carry-out.js';
import { readView } from './entry-view.js';
import { type EntryNames, nameTakenError } from './names.js';
import type { PushWrite } from './read-push.js';

/** A write whose names are resolved, and in the form in which it was sent, which its key stands for. */
interface SentWrite extends Omit<TypedWrite, 'isGuarded'> {
  readonly clientWrite: PushWrite;
  /** The id of the record of its key. */
  readonly key: string;
}

/** What is stored for the key of a write. */
interface KeptWrite {
  readonly outcome: Outcome;
  /** A digest of the rights with which the entry was shown; null if the write was a conflict. */
  readonly access: string | null;
}

type KeyOfWrite = Parameters<typeof storedAnswer>[1];

/** What a write has done, and whether it did so before. */
export interface WriteResult {
  readonly outcome: Outcome;
  /** The type of the entry. */
  readonly uid: string;
  readonly isRepeated: boolean;
}

/**
 * Carries out a write once, by its key. Returns what it has done, or what it did before. Throws the errors of the single request, and a
 * 422 if the key was used for another write.
 */
export async function runWrite(write: SentWrite, names: EntryNames, call: RouteCall): Promise<WriteResult> {
  const { type, clientWrite, key } = write;
  const access = accessDigest(call.caller.access);
  const isNew = clientWrite.op === 'create';
  const named = isNew ? names.find(String(clientWrite.id)) : null;
  if (named !== null && named.key !== key) throw nameTakenError(String(clientWrite.id));
  await waitForIndexes(type, call.content);
  const run = async (content: ContentContext): Promise<Answer> => {
    const outcome = await carryOut({ ...write, isGuarded: requiresIfMatch(type) }, content).catch(undo);
    if (isNew) await names.store(String(clientWrite.id), { uid: type.uid, id: outcome.id, key }, content.store.database);
    return { body: { outcome, access } satisfies KeptWrite };
  };
  const keyed = { ...keyOf(clientWrite, key), uid: type.uid };
  const answer = await answerOnce(call, keyed, run).catch((error: unknown) => afterCommit(error, call, keyed));
  return shownAnswer(answer, type.uid, call);
}

/** Returns what a write has done before, of which `uid` was the type; null if it was not carried out. Throws a 422 for another write. */
export async function repeatWrite(
  { clientWrite, key, uid }: Pick<SentWrite, 'clientWrite' | 'key'> & { readonly uid: string },
  call: RouteCall,
): Promise<WriteResult | null> {
  const answer = await storedAnswer(call, keyOf(clientWrite, key));
  return answer === null ? null : shownAnswer(answer, uid, call);
}

const keyOf = (write: PushWrite, id: string): KeyOfWrite => ({
  id,
  fingerprint: contentDigest({ ...write, key: undefined }),
  access: '',
});

/** Ends the transaction of a write that is a conflict, of which nothing is stored. */
function undo(error: unknown): never {
  throw error instanceof Conflict ? new Undone({ body: { outcome: error.outcome, access: null } satisfies KeptWrite }) : error;
}

/** Returns the answer of a write that is stored although code after it has failed, and reports the failure. Otherwise throws it. */
async function afterCommit(error: unknown, call: RouteCall, keyed: KeyOfWrite): Promise<Answer> {
  const { content, request, running } = call;
  const stored = content.bind.budget.hasChanged ? await storedAnswer(call, keyed) : null;
  if (stored === null) throw error;
  const { requestId, method, path } = request;
  running.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
  return stored;
}

async function shownAnswer({ body, headers }: Answer, uid: string, call: RouteCall): Promise<WriteResult> {
  const outcome = await shownNow(body as KeptWrite, uid, call); // of `runWrite`
  return { outcome, uid, isRepeated: headers?.['Idempotency-Replayed'] !== undefined };
}

/**
 * Returns an outcome as the caller may see it now: the entry is read again if their rights have changed since, and not shown if it cannot
 * be read, because the write is stored.
 */
async function shownNow({ outcome, access }: KeptWrite, uid: string, { content, caller }: RouteCall): Promise<Outcome> {
  const { attributes, ...others } = outcome;
  if (attributes === undefined || access === null || access === accessDigest(caller.access)) return outcome;
  const type = content.bind.registry.types.get(uid);
  const isReader = ['find', 'findOne'].some((action) => allows(caller.access, actionOf(uid, action)));
  if (type === undefined || !isReader) return others;
  const view = await readView(type, outcome.id, withoutBudget(content)).catch(() => null);
  return view === null ? others : { ...others, attributes: view.attributes };
}
