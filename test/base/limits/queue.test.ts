import { expect } from 'chai';
import { Queue, type Sender } from '#base/limits/queue.js';

const bounds = { atOnce: 1, waiting: 3, ofClient: 2 };
const from = (client: string, signal = new AbortController().signal): Sender => ({ client, signal });
const statusOf = (result: Promise<unknown>): Promise<unknown> =>
  result.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? Reflect.get(error, 'status') : error),
  );

/** A queue with one piece of work under way, which ends when `end` is called. */
function busyQueue() {
  const queue = new Queue(bounds);
  const run: Queue['run'] = (work, sender) => queue.run(work, sender);
  let end: () => void = () => undefined;
  const first = run(() => new Promise<void>((resolve) => (end = resolve)), from('a'));
  return {
    run,
    first,
    end: () => {
      end();
    },
  };
}

describe('queue', () => {
  /** Who asks while a piece of work of `a` is under way; `-` is the service itself. */
  const cases: readonly (readonly [clients: string, expected: readonly unknown[]])[] = [
    ['bb', ['done', 'done']],
    ['bbb', ['done', 'done', 503]],
    ['bbcc', ['done', 'done', 'done', 503]],
    ['bcbb', ['done', 'done', 'done', 503]],
    ['aab', ['done', 503, 'done']],
    ['bbc-d', ['done', 'done', 'done', 'done', 503]],
  ];
  for (const [clients, expected] of cases)
    it(`three may wait, two of a client with what runs: ${clients}`, async () => {
      const { run, first, end } = busyQueue();
      const sender = (client: string) => (client === '-' ? undefined : from(client));
      const waiting = [...clients].map((client) => statusOf(run(() => Promise.resolve(), sender(client))));
      end();
      expect(await Promise.all(waiting)).to.deep.equal(expected);
      await first;
    });

  it('a turn goes to the client with the fewest pieces under way', async () => {
    const queue = new Queue({ atOnce: 2 });
    const begun: { readonly client: string; readonly end: () => void }[] = [];
    const send = (client: string): Promise<void> =>
      queue.run(() => new Promise((resolve) => begun.push({ client, end: resolve })), from(client));
    const all = ['a', 'a', 'a', 'b'].map(send);
    for (let ended = 0; ended < 4; ended += 1) {
      while (begun[ended] === undefined) await new Promise(setImmediate);
      begun[ended]?.end();
    }
    await Promise.all(all);
    expect(begun.map(({ client }) => client)).to.deep.equal(['a', 'a', 'b', 'a']);
  });

  it('refuses work whose client has disconnected', async () => {
    const { run, end } = busyQueue();
    expect(await statusOf(run(() => Promise.resolve(), from('b', AbortSignal.abort())))).to.equal(503);
    end();
  });

  it('an abandoned place is free again, and its work never starts', async () => {
    const { run, end } = busyQueue();
    const gone = new AbortController();
    const order: string[] = [];
    const work = (name: string) => () => Promise.resolve(order.push(name));
    const waiting = [statusOf(run(work('left'), from('b', gone.signal))), statusOf(run(work('second'), from('b')))];
    gone.abort();
    waiting.push(statusOf(run(work('third'), from('b'))));
    end();
    expect(await Promise.all(waiting)).to.deep.equal([503, 'done', 'done']);
    expect(order).to.deep.equal(['second', 'third']);
  });

  it('continues after work that fails', async () => {
    const queue = new Queue(bounds);
    expect(await statusOf(queue.run(() => Promise.reject(new Error('broken')), from('a')))).to.equal(undefined);
    expect(await statusOf(queue.run(() => Promise.resolve(), from('a')))).to.equal('done');
  });
});
