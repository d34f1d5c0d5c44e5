import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { ByteReservation, ByteBudget } from '#base/limits/byte-budget.js';

const kilobyte = 1_024;

/** A request that has not ended. */
class Request extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const reservationOf = (budget: ByteBudget, response: Request, client = 'a'): ByteReservation =>
  new ByteReservation(budget, { client, response });

const statusOf = (work: () => void): unknown => {
  try {
    work();
    return 'done';
  } catch (error) {
    return error instanceof Error ? Reflect.get(error, 'status') : error;
  }
};

/** Adds bytes; a negative number replaces the reservation by that many. */
function change(reservation: ByteReservation | undefined, bytes: number): void {
  if (bytes < 0) reservation?.set(-bytes);
  else reservation?.add(bytes);
}

describe('a byte budget', () => {
  /** Each step is a request, with its client, and the kilobytes that it adds. 1,024 kB in all are allowed, 64 of each request free. */
  const cases: readonly (readonly [
    title: string,
    steps: readonly (readonly [request: number | `${string}${number}`, kilobytes: number, result: unknown])[],
  ])[] = [
    ['small requests always pass', Array.from({ length: 100 }, (_, request) => [request, 64, 'done'] as const)],
    [
      'a large request beyond the bound is refused; small ones and those that fit pass',
      [
        [0, 1_000, 'done'],
        [1, 200, 503],
        [2, 64, 'done'],
        [3, 128, 'done'],
      ],
    ],
    [
      'bytes that a request adds count with those it has',
      [
        [0, 500, 'done'],
        [1, 500, 'done'],
        [0, 300, 503],
      ],
    ],
    [
      'a request that is alone passes, whatever its size',
      [
        [0, 5_000, 'done'],
        [0, 5_000, 'done'],
        [1, 65, 503],
      ],
    ],
    [
      'a client may use all if no other uses any',
      [
        ['a0', 500, 'done'],
        ['a1', 500, 'done'],
        ['b2', 64, 'done'],
        ['a3', 100, 'done'],
      ],
    ],
    [
      'a client may use half while others have reserved some',
      [
        ['a0', 300, 'done'],
        ['b1', 128, 'done'],
        ['a2', 300, 'done'],
        ['a3', 200, 503],
        ['b4', 300, 'done'],
      ],
    ],
    [
      'a client may use half after another was refused',
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
      'the only request of a client may exceed half',
      [
        ['b0', 128, 'done'],
        ['a1', 900, 'done'],
        ['a2', 65, 503],
      ],
    ],
  ];
  for (const [title, steps] of cases)
    it(title, () => {
      const budget = new ByteBudget({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const requests = new Map(
        steps.map(([request]) => [request, reservationOf(budget, new Request(), String(request).replace(/\d+/, ''))]),
      );
      const results = steps.map(([request, kilobytes]) => statusOf(() => change(requests.get(request), kilobytes * kilobyte)));
      expect(results).to.deep.equal(steps.map(([, , result]) => result));
    });

  const endings: Readonly<Record<string, (reservation: ByteReservation, request: Request) => void>> = {
    'when it is released': (reservation) => {
      reservation.release();
    },
    'when the request has ended': (reservation, request) => {
      reservation.releaseAtEnd();
      request.close();
    },
    'at once if the request has ended before': (reservation, request) => {
      request.close();
      reservation.releaseAtEnd();
    },
    'when it is set to a few': (reservation) => {
      reservation.set(10);
    },
  };
  for (const [title, end] of Object.entries(endings))
    it(`releases the bytes of a request ${title}`, () => {
      const budget = new ByteBudget({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
      const request = new Request();
      const reservation = reservationOf(budget, request);
      reservation.add(500 * kilobyte);
      expect([budget.reserved > 400 * kilobyte, reservation.isCounted]).to.deep.equal([true, true]);
      end(reservation, request);
      expect([budget.reserved, reservation.isCounted, request.listenerCount('close')]).to.deep.equal([0, false, 0]);
    });

  it('refuses further bytes of a request that has ended', () => {
    const budget = new ByteBudget({ max: 1_024 * kilobyte, free: 64 * kilobyte, refusal: 'busy' });
    const [left, released] = [new Request(), new Request()];
    left.close();
    const reservation = reservationOf(budget, released);
    reservation.release();
    expect(statusOf(() => reservationOf(budget, left).add(65 * kilobyte))).to.equal(503);
    expect(statusOf(() => reservation.add(65 * kilobyte))).to.equal(503);
    expect(budget.reserved).to.equal(0);
  });
});
