import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { HeldBytes, SharedBytes } from '../src/shared-bytes.js';

const kilobyte = 1_024;

/** A request that has not ended. */
class Request extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const statusOf = (work: () => void): unknown => {
  try {
    work();
    return 'done';
  } catch (error) {
    return error instanceof Error ? Reflect.get(error, 'status') : error;
  }
};

describe('shared bytes', () => {
  /** Each step is a request, and the kilobytes that it adds. 1,024 kB in all are allowed, and 64 of each request are free. */
  const cases: readonly (readonly [
    title: string,
    steps: readonly (readonly [request: number, kilobytes: number, result: unknown])[],
  ])[] = [
    ['small ones always pass', Array.from({ length: 100 }, (_, request) => [request, 64, 'done'] as const)],
    [
      'a large one beyond the bound is refused, small ones pass, and so does what fits',
      [
        [0, 1_000, 'done'],
        [1, 200, 503],
        [2, 64, 'done'],
        [3, 128, 'done'],
      ],
    ],
    [
      'what a request adds counts with what it has',
      [
        [0, 500, 'done'],
        [1, 500, 'done'],
        [0, 300, 503],
      ],
    ],
    [
      'one alone passes, whatever its size',
      [
        [0, 5_000, 'done'],
        [0, 5_000, 'done'],
        [1, 65, 503],
      ],
    ],
  ];
  for (const [title, steps] of cases)
    it(title, () => {
      const shared = new SharedBytes({ most: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const requests = new Map(steps.map(([request]) => [request, new HeldBytes(shared, new Request())]));
      const results = steps.map(([request, kilobytes]) => statusOf(() => requests.get(request)?.add(kilobytes * kilobyte)));
      expect(results).to.deep.equal(steps.map(([, , result]) => result));
    });

  const endings: Readonly<Record<string, (held: HeldBytes, request: Request) => void>> = {
    'when it is released': (held) => {
      held.release();
    },
    'when the request has ended': (held, request) => {
      held.releaseAtEnd();
      request.close();
    },
    'at once if the request has ended before': (held, request) => {
      request.close();
      held.releaseAtEnd();
    },
    'when it holds little instead': (held) => {
      held.set(10);
    },
  };
  for (const [title, end] of Object.entries(endings))
    it(`gives back what a request holds ${title}`, () => {
      const shared = new SharedBytes({ most: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const request = new Request();
      const held = new HeldBytes(shared, request);
      held.add(500 * kilobyte);
      expect([shared.held > 400 * kilobyte, held.areMany]).to.deep.equal([true, true]);
      end(held, request);
      expect([shared.held, held.areMany, request.listenerCount('close')]).to.deep.equal([0, false, 0]);
    });

  it('a request that has ended takes no more', () => {
    const shared = new SharedBytes({ most: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
    const [left, released] = [new Request(), new Request()];
    left.close();
    const held = new HeldBytes(shared, released);
    held.release();
    expect(statusOf(() => new HeldBytes(shared, left).add(65 * kilobyte))).to.equal(503);
    expect(statusOf(() => held.add(65 * kilobyte))).to.equal(503);
    expect(shared.held).to.equal(0);
  });
});
