import { expect } from 'chai';
import { createQueue, type Asker } from '../../src/media/queue.js';

const bounds = { atOnce: 1, waiting: 3, waitingPerAddress: 2 };
const from = (address: string, signal = new AbortController().signal): Asker => ({ address, signal });
const statusOf = (result: Promise<unknown>): Promise<unknown> =>
  result.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? Reflect.get(error, 'status') : error),
  );

/** A queue with one piece of work under way, which ends when `end` is called. */
function busyQueue() {
  const run = createQueue(bounds);
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

describe('media/queue', () => {
  const cases: readonly (readonly [addresses: string, expected: readonly unknown[]])[] = [
    ['bb', ['done', 'done']],
    ['bbb', ['done', 'done', 503]],
    ['bbcc', ['done', 'done', 'done', 503]],
    ['bcbb', ['done', 'done', 'done', 503]],
  ];
  for (const [addresses, expected] of cases)
    it(`three may wait, two of an address: ${addresses}`, async () => {
      const { run, first, end } = busyQueue();
      const waiting = [...addresses].map((address) => statusOf(run(() => Promise.resolve(), from(address))));
      end();
      expect(await Promise.all(waiting)).to.deep.equal(expected);
      await first;
    });

  it('a place that is given up is free, and its work never begins', async () => {
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

  it('goes on after work that fails', async () => {
    const run = createQueue(bounds);
    expect(await statusOf(run(() => Promise.reject(new Error('broken')), from('a')))).to.equal(undefined);
    expect(await statusOf(run(() => Promise.resolve(), from('a')))).to.equal('done');
  });
});
