import { expect } from 'chai';
import { titleOf } from '../../panel/trash/title-of.js';

const attributes = { rank: { type: 'integer' }, title: { type: 'string' }, slug: { type: 'uid' } };

const cases: readonly (readonly [title: string, entry: Readonly<Record<string, unknown>>, expected: string])[] = [
  ['the first text', { id: 1, slug: 'sea', title: 'Sea', rank: 3 }, 'Sea'],
  ['the next one if it is empty', { id: 1, title: '', slug: 'sea' }, 'sea'],
  ['the next one if it is not shown', { id: 1, slug: 'sea' }, 'sea'],
  ['the id without a text', { id: 7, title: null, rank: 3 }, '7'],
];

describe('the title of a deleted entry', () => {
  for (const [title, entry, expected] of cases)
    it(`is ${title}`, () => {
      expect(titleOf(entry, attributes)).to.equal(expected);
    });
});
