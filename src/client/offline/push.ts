import type { Failure } from '../failure.js';
import { isAfter } from '../own-writes.js';
import type { CallOptions } from '../requester.js';
import type { Signal } from '../transport.js';
import type { Uploadable } from '../upload.js';
import type { DeviceState } from './device-state.js';
import { ownerOf, type Keeper } from './keeper.js';
import { bodyOf, type Conflict, type Id, pendingAgain, type PushError, type QueuedWrite, rowOf } from './queued-write.js';
import type { Row } from './store.js';

/** Writes in one request. */
const maxWrites = 100;

/** Milliseconds in which a file is uploaded; the service has the same limit. A network that hangs would stop all writes for ever. */
const longestUpload = 600_000;

/** What is answered to a write. */
interface Answered {
  readonly key: string;
  readonly status: 'applied' | 'conflict' | 'refused' | 'waiting';
  readonly id: Id;
  readonly attributes?: object;
  readonly conflicts?: Readonly<Record<string, Conflict>>;
  readonly error?: PushError;
}

/** How far the copy of each type has come, as a place among all writes. */
type Positions = ReadonlyMap<string, string>;

/** A push of the writes of one user. */
interface Sending {
  readonly keeper: Keeper;
  readonly owner: string;
  /** The keys of the writes that the service makes wait, which it is not asked for again. */
  readonly stuck: Set<string>;
  readonly options: CallOptions;
}

/** Returns the options of a request that is sent as one user alone. */
export const asOwner = (owner: string, signal: Signal): CallOptions => ({ signal, admits: (jwt) => ownerOf(jwt) === owner });

/** Sends the writes that wait, in order, until none is left that can be sent. Throws a Failure if the service is not reached. */
export function pushAll(keeper: Keeper, positions: Positions, signal: Signal): Promise<void> {
  return keeper.tabs.alone('push', async () => {
    await keeper.held();
    const { owner } = keeper;
    const sending = { keeper, owner, stuck: new Set<string>(), options: asOwner(owner, signal) };
    for (let size = maxWrites; ;) {
      const batch = await nextBatch(sending, size);
      const [first] = batch;
      if (!first) return;
      const body = { writes: batch.map((write) => write.body) };
      const sent = await outcome(
        keeper.client.request({ method: 'POST', path: '/sync/push', body, ...sending.options }) as Promise<object>,
      );
      if (!sent.error) {
        const { data } = sent as { readonly data: readonly Answered[] }; // of a push
        const position = keeper.client.positionOf(sent) ?? '';
        await keeper.change((state) => data.flatMap((one) => rowsOf(one, state, { position, positions })), owner);
        for (const { key } of data.filter(isStuck)) sending.stuck.add(key);
      } else if (!isRefusal(sent.error)) throw sent.error;
      else if (batch.length === 1) await refuse(first, sent.error, sending);
      else size = batch.length >> 1;
    }
  });
}

/** Returns whether a write waits for another one. One with an error is asked for again, until the service refuses the push. */
const isStuck = ({ status, error }: Answered): boolean => status === 'waiting' && !error;

/** Returns the answer to a request, or its failure. */
const outcome = <Answer>(
  request: Promise<Answer>,
): Promise<(Answer & { readonly error?: undefined }) | { readonly error: Failure }> =>
  request.catch((error: unknown) => ({ error })) as never; // requests throw only failures

/** Returns whether a request was refused for what it contains, so that its parts are tried. */
const isRefusal = (failure: Failure): boolean => failure.kind === 'tooLarge' || statusOf(failure) === 400;

/** Returns the status that the service has answered; 0 if there is none, or something before it has answered, such as a proxy. */
export const statusOf = (failure: Failure): number => ('status' in failure && failure.name !== 'Error' ? failure.status : 0);

/** Returns whether a request that is sent again later may succeed. */
const isPassing = (failure: Failure): boolean =>
  failure.kind !== 'tooLarge' && [0, 401, 429, 502, 503, 504].includes(statusOf(failure));

/**
 * Returns at most so many writes that are sent next, and notes what is sent of each. A write with files ends them; if it is the first, its
 * files are uploaded.
 */
async function nextBatch(sending: Sending, size: number): Promise<readonly QueuedWrite[]> {
  const { keeper, owner, stuck } = sending;
  for (;;) {
    const next: { batch: readonly QueuedWrite[]; lacking?: QueuedWrite | undefined } = { batch: [] };
    await keeper.change((state) => {
      const { ready } = state.queue(stuck);
      const until = ready.findIndex(hasFiles);
      const whole = ready.slice(0, until < 0 ? size : Math.min(until, size));
      next.lacking = ready[until];
      next.batch = whole.map((write) => ({ ...write, body: write.body ?? bodyOf(write, state.idOf) }));
      return next.batch.map((write) => rowOf(write, write));
    }, owner);
    const { batch, lacking } = next;
    if (batch[0] || !lacking) return batch;
    await uploadFiles(lacking, sending);
  }
}

const hasFiles = ({ files, body }: QueuedWrite): boolean => !!files && !body;

/** Each file is uploaded once, under a key of its write. A refusal is that of the write. */
async function uploadFiles(write: QueuedWrite, sending: Sending): Promise<void> {
  const { keeper, owner, options } = sending;
  for (const name of write.files ?? []) {
    const file = (await keeper.file(name)) as Uploadable | undefined;
    if (!file) continue; // it is uploaded
    const sent = await outcome(
      keeper.client.upload([file], {}, { ...options, timeout: longestUpload, key: `${write.key}${name}` }),
    );
    if (sent.error) {
      if (isPassing(sent.error)) throw sent.error;
      return refuse(write, sent.error, sending);
    }
    await keeper.change(
      () => [
        [`i/${name}`, sent[0]?.id],
        [`f/${name}`, undefined],
      ],
      owner,
    );
  }
  await amend(write, sending, (now) => ({ ...now, files: undefined }));
}

function refuse(write: QueuedWrite, failure: Failure, sending: Sending): Promise<void> {
  const { status, name, message, details } = failure as Failure & PushError; // refusals have all of these
  return amend(write, sending, (now) => ({ ...pendingAgain(now), state: 'refused', error: { status, name, message, details } }));
}

/** Changes a write, unless it was dropped meanwhile. */
const amend = ({ order }: QueuedWrite, { keeper, owner }: Sending, change: (now: QueuedWrite) => QueuedWrite): Promise<void> =>
  keeper.change((state) => {
    const now = state.writes.get(order);
    return now ? [rowOf(now, change(now))] : [];
  }, owner);

/** Returns the rows that an answer to a write makes. */
function rowsOf(
  { key, status, id, attributes, conflicts, error }: Answered,
  state: DeviceState,
  { position, positions }: { readonly position: string; readonly positions: Positions },
): readonly Row[] {
  const write = state.sorted().find((one) => one.key === key);
  if (!write) return []; // it was dropped meanwhile
  const put = (value?: QueuedWrite): Row => rowOf(write, value);
  const now = pendingAgain(write);
  if (status === 'waiting') return error ? [] : [put(now)]; // with an error, it may have been carried out
  if (status !== 'applied') return [put({ ...now, state: status, conflicts, error })];
  const known: Row[] = write.op === 'create' ? [[`i/${String(write.id)}`, id]] : [];
  const isContained = position !== '' && !isAfter(position, positions.get(write.type) ?? '');
  const entry = attributes && state.flat(write.type, id, attributes);
  return [...known, put(isContained ? undefined : { ...now, state: 'applied', position, entry })];
}
