import { ApiError, validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { type ContentContext, withDatabase, withoutHooks } from '#content/content-context.js';
import { waitForIndexes } from '#content/run-write.js';
import { keyError, keyOption } from '#http/idempotency/read-key.js';
import { onceFor } from '#http/idempotency/run-once.js';
import { optionOf } from '#model/schema/model-option.js';
import type { ContentType } from '#model/schema/content-type.js';
import { inTransaction } from '#store/send/transaction.js';
import { historyOption } from '../history/history-option.js';
import { newestVersion } from '../history/version-store.js';
import type { AgentCall } from './agent-call.js';
import { clientIdOf } from './oauth/scopes.js';

/** A write that a tool makes. It returns the structured answer, and may be called again after a conflict. */
interface ToolWrite {
  readonly tool: string;
  readonly type: ContentType;
  readonly input: Values;
  readonly write: (content: ContentContext) => Promise<Values>;
}

/** Makes a write: only once if it has a key, and not at all if it only asks what would happen. */
export async function runWrite({ tool, type, input, write }: ToolWrite, call: AgentCall): Promise<Values> {
  const { content, request } = call;
  const { key, dryRun } = input;
  if (dryRun === true) return tryWrite(type, write, content);
  if (typeof key !== 'string') {
    if (optionOf(type, keyOption) === true) throw keyError(400, `Writes of ${type.displayName} need the argument key`);
    return write(content);
  }
  const parts = { method: 'POST', path: `${request.path}/${tool}`, query: '', body: input };
  const own = { ...call, request: request.with({}, parts) };
  const { body } = await onceFor(own, key, keySpace(call))(async (inside) => ({ body: await write(inside) }), null);
  return body as Values; // what the write has returned, or its stored form
}

/** Returns what tells the keys of a client from those of other clients of the caller: its id, or else the name that it says. */
const keySpace = ({ caller, content }: AgentCall): string =>
  `agent ${clientIdOf(caller) ?? content.store.database.sender?.agent ?? ''}`;

/** Ends a transaction whose answer alone is wanted. */
class TrialEnd extends Error {
  constructor(readonly answer: Values) {
    super('the write was only tried');
  }
}

/** Makes a write in a transaction that is undone. Code of the project does not run, because it may have effects elsewhere. */
async function tryWrite(type: ContentType, write: ToolWrite['write'], content: ContentContext): Promise<Values> {
  const { database } = content.store;
  if (!database.isReplicated) throw validationError('dryRun needs a replica set: a standalone server has no transactions');
  await waitForIndexes(type, content); // a write in a transaction does not wait
  try {
    return await inTransaction(database, async (open): Promise<Values> => {
      throw new TrialEnd(await write(withDatabase(withoutHooks(content), open)));
    });
  } catch (error) {
    if (error instanceof TrialEnd) return { ...withoutValue(error.answer, '_version'), dryRun: true };
    throw error;
  }
}

/**
 * Returns the answer to a trial without a value that only a stored entry has: its id, or its version, instead of which a model keeps the
 * one that it has read.
 */
export function withoutValue(answer: Values, left: 'id' | '_version'): Values {
  if (!isRecord(answer['entry'])) return answer;
  return { ...answer, entry: Object.fromEntries(Object.entries(answer['entry']).filter(([name]) => name !== left)) };
}

/** The error for a write of a version that is not the current one. */
export class StaleVersion extends ApiError {
  constructor(
    /** The current entry as the caller sees it; null if that may not be read. */
    readonly entry: Values | null,
  ) {
    super(412, 'PreconditionFailedError', 'The entry has changed meanwhile: read it, and write its current _version');
  }
}

/**
 * Returns the number of the version that an entry can be restored to after its next write, if versions are kept. The first write also
 * keeps the entry as it was.
 */
export async function previousVersion(type: ContentType, id: number, { store }: ContentContext): Promise<Values> {
  if (optionOf(type, historyOption) === null) return {};
  return { previousVersion: Math.max(await newestVersion(store.database, { uid: type.uid, id }), 1) };
}
