import { expect } from 'chai';
import { Alarm, endedBy, ifLonger, meanwhile, waited } from '#base/limits/timers.js';

const never = new AbortController().signal;
const wait = (milliseconds: number): Promise<boolean> => waited(milliseconds, never);

/** A signal that aborts after some milliseconds; 0: it has aborted. */
function signalOf(milliseconds: number): AbortSignal {
  const ends = new AbortController();
  if (milliseconds === 0) ends.abort();
  else new Alarm(() => ends.abort()).set(milliseconds);
  return ends.signal;
}

/** Returns a function that notes its calls, and what it has noted. */
function noted(): readonly [note: () => void, calls: readonly string[]] {
  const calls: string[] = [];
  return [() => void calls.push('called'), calls];
}

const cases: readonly (readonly [name: string, run: (note: () => void) => Promise<unknown>, result: unknown, calls: number])[] = [
  ['a wait until its end', () => wait(1), true, 0],
  ['a wait that a signal ends', () => waited(60_000, signalOf(1)), false, 0],
  ['a wait that had ended before', () => waited(60_000, signalOf(0)), false, 0],
  ['work that is quick', (late) => ifLonger(60_000, late, () => Promise.resolve(1)), 1, 0],
  ['work that takes longer', (late) => ifLonger(1, late, () => wait(50)), true, 1],
  ['an alarm that is set twice', (ring) => new Promise<void>((resolve) => setTwice(ring, resolve)), undefined, 1],
  ['work that no signal ends', (end) => endedBy([never], end, () => Promise.resolve(1)), 1, 0],
  ['work that one of two signals ends', (end) => endedBy([never, signalOf(1)], end, () => wait(50)), true, 1],
  ['work that had ended before', (end) => endedBy([signalOf(0), never], end, () => Promise.resolve(1)), 1, 1],
];

function setTwice(ring: () => void, resolve: () => void): void {
  const alarm = new Alarm(ring);
  alarm.set(1);
  alarm.set(2);
  new Alarm(resolve).set(50);
}

describe('timers', () => {
  for (const [name, run, result, expected] of cases)
    it(`${name}: ${String(expected)} calls`, async () => {
      const [note, calls] = noted();
      expect(await run(note)).to.equal(result);
      expect(calls).to.have.lengthOf(expected);
    });

  it('call a function at intervals until the work has ended', async () => {
    const [note, calls] = noted();
    await meanwhile(1, note, () => wait(50));
    const { length } = calls;
    await wait(10);
    expect(length).to.be.above(1);
    expect(calls).to.have.lengthOf(length);
  });

  it('say whether an alarm was set when it is cancelled', async () => {
    const [note, calls] = noted();
    const alarm = new Alarm(note);
    alarm.set(1);
    expect([alarm.cancel(), alarm.cancel()]).to.deep.equal([true, false]);
    await wait(10);
    expect(calls).to.deep.equal([]);
  });

  it('wait for what ends the work', async () => {
    const [note, calls] = noted();
    await endedBy(
      [signalOf(0)],
      () => wait(10).then(note),
      () => Promise.resolve(),
    );
    expect(calls).to.have.lengthOf(1);
  });
});
