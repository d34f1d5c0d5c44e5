import { expect } from 'chai';
import { createRecentValues } from '../../src/graphql/http/recent-values.js';

describe('Recent values', () => {
  it('are kept as far as there is space; those that were not used for longest go first', () => {
    const values = createRecentValues<number>(100);
    const names = Array.from({ length: 10 }, (_, index) => `v${String(index)}`);
    for (const [index, name] of names.entries()) values.keep(name, index, 10);
    expect(values.find('v0')).to.equal(0);
    values.keep('new', 10, 5);
    expect(['v0', 'v1', 'v2', 'new'].map(values.find)).to.deep.equal([0, undefined, 2, 10]);
  });

  it('take their space once, whatever how often they are kept', () => {
    const values = createRecentValues<number>(100);
    values.keep('other', 1, 10);
    for (let count = 0; count < 50; count++) values.keep('same', count, 10);
    expect(['other', 'same'].map(values.find)).to.deep.equal([1, 49]);
  });

  it('of more than a tenth of the space are not kept', () => {
    const values = createRecentValues<number>(100);
    values.keep('small', 1, 10);
    values.keep('large', 2, 11);
    expect(['small', 'large'].map(values.find)).to.deep.equal([1, undefined]);
  });
});
