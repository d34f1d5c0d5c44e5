import type { Failure } from '../failure.js';
import { isAfter } from '../own-writes.js';
import type { SyncChange } from '../sync.js';
import { pause, type Signal } from '../transport.js';
import type { DeviceState } from './device-state.js';
import type { Keeper } from './keeper.js';
import type { Schema } from './overlay.js';
import { asOwner, statusOf } from './push.js';
import { mapValues, rowOf, underAllNames } from './queued-write.js';
import type { Row } from './store.js';

/** The copy of a type, which is kept for one user. */
interface Pulling {
  readonly type: string;
  readonly types: readonly string[];
  readonly keeper: Keeper;
  readonly owner: string;
  readonly signal: Signal;
  /** Seconds that a request waits for a change; with 0, it ends when the copy is up to date. */
  readonly wait: number;
  /** Called when the copy has come to a place among all writes; empty if it begins anew. */
  readonly onPosition: (position: string) => void;
}

interface Answered {
  readonly data: readonly SyncChange[];
  readonly meta: { readonly sync: { readonly token: string; readonly more: boolean; readonly position?: string } };
}

/** How the attributes of types are merged. */
interface Described {
  readonly data: Schema;
  readonly meta: { readonly renamed?: DeviceState['renamed'] };
}

/** Resets in a row after which a copy is given up. */
const maxResets = 5;

/** Milliseconds before a request is sent again that has failed so often. */
export const pauseAfter = (failures: number): number => Math.min(250 * 2 ** failures, 30_000);

/**
 * Keeps the copy of a type up to date until the signal aborts. Removes it if the user may no longer see what was copied. With a `wait` of
 * 0, it throws a Failure if the service is not reached, or refuses.
 */
export async function pull(pulling: Pulling): Promise<void> {
  const { type, keeper, owner, signal, wait, onPosition } = pulling;
  let failures = 0;
  let isCurrent = false;
  while (!signal.aborted && !(isCurrent && wait === 0)) {
    try {
      isCurrent = await step(pulling, isCurrent ? wait : 0);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const failure = error as Failure; // of a request, or of the store
      isCurrent = false;
      failures += 1;
      const status = statusOf(failure);
      const isReset = status === 410;
      if (isReset || [403, 404].includes(status) || (status === 401 && isEnded(failure))) {
        onPosition('');
        await keeper.change((state) => state.cleared(type), owner).catch(() => undefined); // if the store fails, the next refusal removes it
      }
      if (wait === 0 && (!isReset || failures > maxResets)) throw failure;
      if (!isReset) keeper.stand(failure);
      await pause(pauseAfter(failures), signal);
    }
  }
}

/** Returns whether a copy may not be shown after a 401. Somebody whose session has only expired may log in again. */
const isEnded = (failure: Failure): boolean => 'reason' in failure && failure.reason !== 'token_expired';

/** Reads what has changed, and stores it. Returns whether the copy is up to date. */
async function step(pulling: Pulling, wait: number): Promise<boolean> {
  const { type, keeper, owner, signal, onPosition } = pulling;
  const options = asOwner(owner, signal);
  const read = (path: string, query: object): Promise<unknown> =>
    keeper.client.request({ method: 'GET', path, query, timeout: 1_000 * (wait + 30), ...options });
  const { schema } = await keeper.held();
  if (!schema?.[type]) {
    const { data, meta } = (await read('/sync/schema', { types: pulling.types.join() })) as Described;
    const renamed = meta.renamed ?? {};
    const named = mapValues(data, (kinds, name) => underAllNames(kinds, renamed[name]));
    await keeper.change(
      () => [
        ['schema', named],
        ['renamed', renamed],
      ],
      owner,
    );
  }
  const token = (await keeper.held()).token(type);
  const { data, meta } = (await read(`/sync/${type}`, { token, wait: wait || undefined })) as Answered;
  const { more, position = '' } = meta.sync;
  // another tab may have taken the same step
  const changed = (state: DeviceState): readonly Row[] =>
    state.token(type) === token ? state.changed(type, data, meta.sync.token) : [];
  const contained = (state: DeviceState): readonly Row[] =>
    state.sorted().flatMap((write) => {
      const isContained = !more && write.state === 'applied' && write.type === type && !isAfter(write.position ?? '', position);
      return isContained ? [rowOf(write)] : [];
    });
  await keeper.change((state) => [...changed(state), ...contained(state)], owner);
  keeper.stand(null);
  if (!more) onPosition(position);
  return !more;
}
