import { expect } from 'chai';
import { ApiError } from '#base/errors.js';
import type { Sender } from '#base/limits/queue.js';
import { WrittenEntries, WriteQueues } from '#store/send/write-queues.js';

const senderOf = (client: string): Sender => ({ client, signal: new AbortController().signal });

/** Work that lasts until it is told to end, and what has begun so far. */
function heldWork(begun: string[], name: string): { readonly run: () => Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return {
    run: () => (begun.push(name), ended),
    end: () => {
      end();
    },
  };
}

describe('the queues of writers of one entry', () => {
  const orders: readonly (readonly [name: string, first: string[], second: string[], begun: string[]])[] = [
    ['the same entry: one after the other', ['a/1'], ['a/1'], ['first']],
    ['one of several entries: one after the other', ['a/1', 'a/2'], ['a/2', 'a/3'], ['first']],
    ['other entries: both at once', ['a/1'], ['a/2'], ['first', 'second']],
    ['no entry: both at once', [], [], ['first', 'second']],
  ];
  for (const [name, first, second, expected] of orders)
    it(name, async () => {
      const queues = new WriteQueues();
      const begun: string[] = [];
      const [one, other] = [heldWork(begun, 'first'), heldWork(begun, 'second')];
      const running = [queues.run(first, one.run, null), queues.run(second, other.run, null)];
      await new Promise(setImmediate);
      expect(begun).to.deep.equal(expected);
      one.end();
      other.end();
      await Promise.all(running);
      expect([begun, [...first, ...second].filter((key) => queues.isBusy(key))]).to.deep.equal([['first', 'second'], []]);
    });

  it('refuse a client with too many writers by a 503, and others not', async () => {
    const queues = new WriteQueues();
    const work = heldWork([], 'first');
    const running = Array.from({ length: 200 }, () => queues.run(['a/1'], work.run, senderOf('one')));
    const refused: unknown = await queues.run(['a/1'], work.run, senderOf('one')).catch((error: unknown) => error);
    running.push(queues.run(['a/1'], work.run, senderOf('other')));
    work.end();
    await Promise.all(running);
    expect(refused instanceof ApiError && [refused.status, refused.message]).to.deep.equal([
      503,
      'Too many requests write to the same entry, please try again later',
    ]);
  });

  const matches: readonly (readonly [name: string, match: object, isRefused: boolean])[] = [
    ['by its id', { _id: 1 }, true],
    ['by its id and more', { $and: [{ name: 'x' }, { _id: 1 }] }, true],
    ['by several ids', { _id: { $in: [2, 1] } }, true],
    ['another entry', { _id: 2 }, false],
    ['by something else', { name: 'x' }, false],
  ];
  for (const [name, match, isRefused] of matches)
    it(`${isRefused ? 'end' : 'let through'} a writer that has not waited for its turn: ${name}`, async () => {
      const queues = new WriteQueues();
      const work = heldWork([], 'first');
      const running = queues.run(['rows', 'rows/1'], work.run, null);
      const note = (): void => {
        new WrittenEntries(queues).note('rows', [match]);
      };
      if (isRefused) expect(note).to.throw('other requests write this entry');
      else note();
      work.end();
      await running;
    });
});
