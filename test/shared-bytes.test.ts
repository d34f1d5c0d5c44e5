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

const heldBy = (shared: SharedBytes, response: Request, client = 'a'): HeldBytes => new HeldBytes(shared, { client, response });

const statusOf = (work: () => void): unknown => {
  try {
    work();
    return 'done';
  } catch (error) {
    return error instanceof Error ? Reflect.get(error, 'status') : error;
  }
};

/** Adds bytes; a negative number replaces what the request holds by that many. */
function change(held: HeldBytes | undefined, bytes: number): void {
  if (bytes < 0) held?.set(-bytes);
  else held?.add(bytes);
}

describe('shared bytes', () => {
  /** Each step is a request, with its client, and the kilobytes that it adds. 1,024 kB in all are allowed, 64 of each request free. */
  const cases: readonly (readonly [
    title: string,
    steps: readonly (readonly [request: number | `${string}${number}`, kilobytes: number, result: unknown])[],
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
    [
      'a client that others leave all to has all',
      [
        ['a0', 500, 'done'],
        ['a1', 500, 'done'],
        ['b2', 64, 'done'],
        ['a3', 100, 'done'],
      ],
    ],
    [
      'a client has half while others hold some',
      [
        ['a0', 300, 'done'],
        ['b1', 128, 'done'],
        ['a2', 300, 'done'],
        ['a3', 200, 503],
        ['b4', 300, 'done'],
      ],
    ],
    [
      'a client has half after another was refused',
      [
        ['a0', 1_000, 'done'],
        ['b1', 300, 503],
        ['a2', 65, 503],
        ['a0', -100, 'done'],
        ['a3', 500, 'done'],
        ['a4', 200, 503],
        ['b5', 300, 'done'],
      ],
    ],
    [
      'a client that is refused beyond its share does not limit others to theirs',
      [
        ['a0', 1_000, 'done'],
        ['a1', 300, 503],
        ['a0', -100, 'done'],
        ['a2', 500, 'done'],
        ['a3', 200, 'done'],
      ],
    ],
    [
      'one alone of its client passes beyond half',
      [
        ['b0', 128, 'done'],
        ['a1', 900, 'done'],
        ['a2', 65, 503],
      ],
    ],
  ];
  for (const [title, steps] of cases)
    it(title, () => {
      const shared = new SharedBytes({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const requests = new Map(
        steps.map(([request]) => [request, heldBy(shared, new Request(), String(request).replace(/\d+/, ''))]),
      );
      const results = steps.map(([request, kilobytes]) => statusOf(() => change(requests.get(request), kilobytes * kilobyte)));
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
      const shared = new SharedBytes({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const request = new Request();
      const held = heldBy(shared, request);
      held.add(500 * kilobyte);
      expect([shared.held > 400 * kilobyte, held.areMany]).to.deep.equal([true, true]);
      end(held, request);
      expect([shared.held, held.areMany, request.listenerCount('close')]).to.deep.equal([0, false, 0]);
    });

  it('a request that has ended takes no further bytes', () => {
    const shared = new SharedBytes({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
    const [left, released] = [new Request(), new Request()];
    left.close();
    const held = heldBy(shared, released);
    held.release();
    expect(statusOf(() => heldBy(shared, left).add(65 * kilobyte))).to.equal(503);
    expect(statusOf(() => held.add(65 * kilobyte))).to.equal(503);
    expect(shared.held).to.equal(0);
  });
});
