import { expect } from 'chai';
import { requestedDelay } from '#api/webhooks/deliver.js';

const now = new Date('2026-01-01T00:00:00.000Z');

/** Headers of receivers, and the seconds that they are waited for. */
const cases: readonly (readonly [header: string | null, seconds: number])[] = [
  [null, 0],
  ['', 0],
  ['120', 120],
  [' 5 ', 5],
  ['86400', 3_600],
  ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
  ['Thu, 01 Jan 2026 09:00:00 GMT', 3_600],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', 0],
];

describe('Retry-After of a receiver of webhooks', () => {
  for (const [header, seconds] of cases)
    it(`${String(header)}: ${String(seconds)} s`, () => {
      expect(requestedDelay(header, now)).to.equal(seconds * 1_000);
    });
});
