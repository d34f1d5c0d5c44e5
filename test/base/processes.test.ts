import { expect } from 'chai';
import { hasEnded, identityOf, isGone, type ProcessIdentity } from '#base/processes.js';
import { killedProcess } from '../support/killed-process.js';

describe('processes', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  const own = (): ProcessIdentity => {
    const identity = identityOf(process.pid);
    if (identity === null) throw new Error('this process runs');
    return identity;
  };

  it('are over if they were killed', async () => {
    expect(isGone(await killedProcess())).to.equal(true);
  });

  const others: readonly (readonly [what: string, change: (one: ProcessIdentity) => ProcessIdentity, over: boolean])[] = [
    ['this one', (one) => one, false],
    ['an earlier one with the same id', (one) => ({ ...one, started: '1' }), true],
    ['one of another machine or container', (one) => ({ ...one, space: `${one.space}0`, started: '1' }), false],
    ['one of another machine whose id nobody has here', (one) => ({ ...one, space: 'other', pid: 2 ** 22 + 1 }), false],
  ];
  for (const [what, change, over] of others)
    it(`are told apart: ${what}`, () => {
      expect(isGone(change(own()))).to.equal(over);
    });

  it('of other hosts are not known to have ended', () => {
    expect(hasEnded({ host: 'other', pid: 2 ** 22 + 1 }, { host: 'own', pid: process.pid })).to.equal(false);
  });
});
