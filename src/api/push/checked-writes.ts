import { keyId } from '#http/idempotency/read-key.js';
import type { RouteCall } from '#http/route.js';
import { findKeyHeads } from '#store/stores/key-store.js';
import type { RowSources } from '../rest/batch/batch-rows.js';
import { type AllowedWrite, allowedWrite } from './allowed-write.js';
import { EntryNames, nameId, namesIn } from './names.js';
import type { PushWrite } from './read-push.js';

/** A write of a push before it is carried out. */
export interface CheckedWrite {
  readonly write: PushWrite;
  /** The id of the record of its key. */
  readonly key: string;
  /** Throws the error of a write that the caller may not make. */
  readonly allow: () => AllowedWrite;
  /** The uid of the type of which it has written an entry before; null if it was not carried out. */
  readonly keptType: string | null;
}

/** The writes of a push, and the entries that they name. */
interface CheckedPush {
  readonly writes: readonly CheckedWrite[];
  readonly names: EntryNames;
}

/**
 * Checks what a caller may do, and then looks up the keys of all writes, and the names in those that the caller may make: sends one
 * command. Throws a ValidationError for too many names.
 */
export async function checkWrites(writes: readonly PushWrite[], call: RouteCall, sources: RowSources): Promise<CheckedPush> {
  const checked = writes.map((write) => ({
    write,
    key: keyId(call.caller, write.key, 'push'),
    check: check(write, call, sources),
  }));
  const allowed = checked.flatMap(({ check: { allowed } }) => allowed ?? []);
  const names = namesIn(allowed, call.content.bind.registry);
  const ids = [...checked.map(({ key }) => key), ...[...names].map((name) => nameId(name, call))];
  const heads = await findKeyHeads(call.content.store.database, ids);
  return {
    names: new EntryNames(call, names, heads),
    writes: checked.map(({ write, key, check: { allow } }) => ({ write, key, allow, keptType: heads.get(key)?.uid ?? null })),
  };
}

function check(write: PushWrite, call: RouteCall, sources: RowSources) {
  try {
    const allowed = allowedWrite(write, call, sources);
    return { allowed, allow: () => allowed };
  } catch (error) {
    const allow = (): never => {
      throw error;
    };
    return { allowed: null, allow };
  }
}
