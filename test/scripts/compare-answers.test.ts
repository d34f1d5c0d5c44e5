import { expect } from 'chai';
import { compareAnswers } from '../../scripts/bench/compare-answers.js';

const list = (...entries: readonly object[]) => ({ data: entries });
const says = (path: string, ours: string, theirs: string): string =>
  `${path}: ${ours} from the product, ${theirs} from the baseline`;

type Case = readonly [product: unknown, baseline: unknown, sameIds: boolean, difference: string | null];

const cases: Readonly<Record<string, Case>> = {
  'equal, keys in another order': [{ data: { id: 1, a: 2 } }, { data: { a: 2, id: 1 } }, true, null],
  'an empty meta is as none': [list({ id: 1, meta: {} }), list({ id: 1 }), true, null],
  'a list without entries is not as none': [{ data: [] }, {}, false, says('data', '[]', 'nothing')],
  'another value': [list({ id: 1, a: 'x' }), list({ id: 1, a: 'y' }), true, says('data.0.a', '"x"', '"y"')],
  'a missing value': [list({ id: 1 }), list({ id: 1, a: null }), true, says('data.0.a', 'nothing', 'null')],
  'another entry': [list({ id: 1 }), list({ id: 2 }), false, says('data.0.id', '1', '2')],
  'another order': [list({ id: 1 }, { id: 2 }), list({ id: 2 }, { id: 1 }), false, says('data.0.id', '1', '2')],
  'one entry more': [list({ id: 1 }, { id: 2 }), list({ id: 1 }), false, says('data.1', '{"id":2}', 'nothing')],
  'another entry further in': [
    list({ id: 1, tags: list({ id: 3 }) }),
    list({ id: 1, tags: list({ id: 4 }) }),
    false,
    says('data.0.tags.data.0.id', '3', '4'),
  ],
  'an id as text': [{ id: 1 }, { id: '1' }, false, says('id', '1', '"1"')],
};

describe('compareAnswers', () => {
  for (const [title, [product, baseline, sameIds, difference]] of Object.entries(cases))
    it(title, () => {
      expect(compareAnswers(product, baseline)).to.deep.equal({ sameIds, difference });
    });
});
