import type { Failure } from '../failure.js';
import { isAfter } from '../own-writes.js';
import type { CallOptions } from '../requester.js';
import type { Signal } from '../transport.js';
import type { Uploadable } from '../upload.js';
import type { Held } from './held.js';
import { ownerOf, type Keeper } from './keeper.js';
import { bodyOf, type Conflict, type Id, pendingAgain, type PushError, type Queued } from './queued.js';
import type { Row } from './store.js';

/** Writes in one request. */
const maxWrites = 100;

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
  readonly options: CallOptions;
}

/** Returns the options of a request that is sent as one user alone. */
export const asOwner = (owner: string, signal: Signal): CallOptions => ({ signal, admits: (jwt) => ownerOf(jwt) === owner });

/** Sends the writes that wait, in order, until none is left that can be sent. Throws a Failure if the service is not reached. */
export function pushAll(keeper: Keeper, positions: Positions, signal: Signal): Promise<void> {
  return keeper.tabs.alone('push', async () => {
    await keeper.held();
    const { owner } = keeper;
    const sending = { keeper, owner, options: asOwner(owner, signal) };
    for (let size = maxWrites; ;) {
      const batch = await nextBatch(sending, size);
      const [first] = batch;
      if (first === undefined) return;
      const body = { writes: batch.map((write) => write.body) };
      const sent = await outcome(keeper.client.request({ method: 'POST', path: '/sync/push', body, ...sending.options }));
      if (sent.error === undefined) {
        const answer = sent.value as { readonly data: readonly Answered[] }; // of a push
        const position = keeper.client.positionOf(answer) ?? '';
        await keeper.change((held) => answer.data.flatMap((one) => rowsOf(one, held, { position, positions })), owner);
        if (answer.data.every(({ status }) => status === 'waiting')) return;
      } else if (!isRefusal(sent.error)) throw sent.error;
      else if (batch.length === 1) await refuse(first, sent.error, sending);
      else size = Math.ceil(batch.length / 2);
    }
  });
}

type Result<Value> = { readonly value: Value; readonly error?: undefined } | { readonly error: Failure };

/** Returns the result of a request, which throws only failures. */
const outcome = <Value>(request: Promise<Value>): Promise<Result<Value>> =>
  request.then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error as Failure }),
  );

/** Returns whether the service has refused a request for what it contains, so that its parts are tried. */
const isRefusal = ({ kind }: Failure): boolean => kind === 'invalid' || kind === 'tooLarge';

/** Uploads the files of the next writes, and notes what is sent. Returns at most so many writes. */
async function nextBatch(sending: Sending, size: number): Promise<readonly Queued[]> {
  const { keeper, owner } = sending;
  for (;;) {
    const { ready } = (await keeper.held()).queue();
    if (keeper.owner !== owner) return [];
    const lacking = ready.slice(0, size).find(hasFiles);
    if (lacking === undefined) break;
    await uploadFiles(lacking, sending);
  }
  let batch: readonly Queued[] = [];
  await keeper.change((held) => {
    const ready = held.queue().ready.slice(0, size);
    const until = ready.findIndex(hasFiles); // a file was added meanwhile
    const next = until < 0 ? ready : ready.slice(0, until);
    batch = next.map((write) => ({ ...write, body: write.body ?? bodyOf(write, held.idOf) }));
    return batch.flatMap((write, index) => (next[index]?.body === undefined ? [[`w/${write.order}`, write] as const] : []));
  }, owner);
  return batch;
}

const hasFiles = ({ files, body }: Queued): boolean => files !== undefined && body === undefined;

/** Each file is uploaded once, under a key of its write. A refusal is that of the write. */
async function uploadFiles(write: Queued, sending: Sending): Promise<void> {
  const { keeper, owner, options } = sending;
  const names = write.files ?? [];
  for (const name of names) {
    const file = (await keeper.file(name)) as Uploadable | undefined;
    if (file === undefined) continue; // it is uploaded
    const sent = await outcome(keeper.client.upload([file], {}, { ...options, key: `${write.key}${name}` }));
    if (sent.error !== undefined) {
      if (!isRefusal(sent.error) && sent.error.kind !== 'forbidden') throw sent.error;
      return refuse(write, sent.error, sending);
    }
    const rows: readonly Row[] = [
      [`i/${name}`, sent.value[0]?.id],
      [`f/${name}`, undefined],
    ];
    await keeper.change(() => rows, owner);
  }
  await keeper.change((held) => {
    const { files = [], ...now } = held.writes.get(write.order) ?? {};
    const left = files.filter((name) => !held.ids.has(name)); // added meanwhile
    return 'key' in now ? [[`w/${write.order}`, left.length > 0 ? { ...now, files: left } : now]] : [];
  }, owner);
}

function refuse({ order }: Queued, failure: Failure, { keeper, owner }: Sending): Promise<void> {
  const { status, name, message, details } = { status: 0, details: {}, ...failure, name: failure.name, message: failure.message };
  return keeper.change((held) => {
    const now = held.writes.get(order);
    const refused = now && { ...pendingAgain(now), state: 'refused', error: { status, name, message, details } };
    return refused === undefined ? [] : [[`w/${order}`, refused]];
  }, owner);
}

/** Returns the rows that an answer to a write makes. */
function rowsOf(
  { key, status, id, attributes, conflicts = {}, error }: Answered,
  held: Held,
  { position, positions }: { readonly position: string; readonly positions: Positions },
): readonly Row[] {
  const write = held.sorted().find((one) => one.key === key);
  if (write === undefined) return []; // it was dropped meanwhile
  const put = (value: Queued | undefined): Row => [`w/${write.order}`, value];
  const now = pendingAgain(write);
  if (status === 'waiting') return [put(now)];
  if (status === 'conflict') return [put({ ...now, state: 'conflict', conflicts })];
  if (status === 'refused') return [put({ ...now, state: 'refused', error })];
  const known: Row[] = write.op === 'create' ? [[`i/${String(write.id)}`, id]] : [];
  const isContained = position !== '' && !isAfter(position, positions.get(write.type) ?? '');
  const entry = attributes && held.flat(write.type, id, attributes);
  return [...known, put(isContained ? undefined : { ...now, state: 'applied', position, entry })];
}
