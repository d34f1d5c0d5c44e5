import { expect } from 'chai';
import { bindPagination, windowOf } from '#model/query/bind-list.js';
import { defaultLimits } from '../../support/default-limits.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { BoundPagination } from '#model/query/plan.js';
import { parseQueryString } from '#http/query-string.js';

const limits = { parameters: 1000, queryDepth: 20, listValues: 1000 };
const paginationOf = (text: string) => parseQuery(parseQueryString(text, limits), defaultLimits).pagination;

const page = (number: number, pageSize: number): BoundPagination => ({ kind: 'page', page: number, pageSize });
const offset = (start: number, limit: number): BoundPagination => ({ kind: 'offset', start, limit });

/** Query string, largest page (null: none), what is in force. */
const cases: readonly (readonly [string, number | null, BoundPagination])[] = [
  ['', 100, page(1, 25)],
  ['pagination=abc', 100, page(1, 25)],
  ['pagination[page]=3', 100, page(3, 25)],
  ['pagination[page]=0', 100, page(1, 25)],
  ['pagination[page]=-2', 100, page(1, 25)],
  ['pagination[pageSize]=10', 100, page(1, 10)],
  ['pagination[pageSize]=0', 100, page(1, 1)],
  ['pagination[pageSize]=', 100, page(1, 1)],
  ['pagination[pageSize]=-1', 100, page(1, 1)],
  ['pagination[pageSize]=500', 100, page(1, 100)],
  ['pagination[pageSize]=500', null, page(1, 500)],
  ['pagination[page]=2&pagination[pageSize]=7', 100, page(2, 7)],
  ['pagination[start]=5', 100, offset(5, 25)],
  ['pagination[start]=-5', 100, offset(0, 25)],
  ['pagination[limit]=5', 100, offset(0, 5)],
  ['pagination[limit]=0', 100, offset(0, 1)],
  ['pagination[limit]=-2', 100, offset(0, 1)],
  ['pagination[limit]=500', 100, offset(0, 100)],
  ['pagination[limit]=-1', 100, offset(0, 100)],
  ['pagination[limit]=-1', null, offset(0, -1)],
  ['pagination[start]=2&pagination[limit]=3', 100, offset(2, 3)],
  // a default over the maximum holds where no page is asked for
  ['', 10, page(1, 25)],
  ['pagination[page]=2', 10, page(2, 10)],
  ['pagination[start]=5', 10, offset(5, 10)],
];

const refused: readonly (readonly [string, string, string])[] = [
  ['pagination[page]=x', 'ValidationError', 'Invalid parameter page: expected a whole number'],
  ['pagination[page]=1.5', 'ValidationError', 'Invalid parameter page: expected a whole number'],
  ['pagination[limit]=1e400', 'ValidationError', 'Invalid parameter limit: expected a whole number'],
  ['pagination[start][a]=1', 'ValidationError', 'Invalid parameter start: expected a whole number'],
  [
    'pagination[page]=1&pagination[limit]=1',
    'ValidationError',
    'Invalid pagination parameters. Expected either start/limit or page/pageSize',
  ],
  ['pagination[withCount]=yes', 'ValidationError', 'Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
  ['pagination[withCount]=', 'ValidationError', 'Invalid withCount parameter. Expected "t","1","true","false","0","f"'],
  ...['page', 'pageSize', 'start', 'limit'].map(
    (key) =>
      [
        `${key}=1`,
        'PaginationError',
        'Invalid pagination attributes. You cannot use page and offset pagination in the same query',
      ] as const,
  ),
];

describe('pagination', () => {
  for (const [text, maxLimit, expected] of cases)
    it(`${text || '(none)'} with at most ${String(maxLimit)}`, () => {
      const settings = {
        defaultLimit: 25,
        maxLimit,
        maxNested: null,
        withCount: true,
        strict: false,
        populateDeep: 0,
        roleUsers: false,
      };
      expect(bindPagination(paginationOf(text), settings)).to.deep.equal(expected);
    });

  for (const [word, expected] of Object.entries({ true: true, t: true, 1: true, false: false, f: false, 0: false }))
    it(`withCount=${word}`, () => {
      expect(paginationOf(`pagination[withCount]=${word}`)).to.include({ withCount: expected });
    });

  for (const [text, name, message] of refused)
    it(`${text} is refused`, () => {
      expect(() => paginationOf(text))
        .to.throw(message)
        .that.includes({ status: 400, name, message });
    });

  it('numbers larger than any collection stay exact', () => {
    expect(windowOf(page(2 ** 53, 100))).to.deep.equal({ skip: Number.MAX_SAFE_INTEGER, limit: 100 });
    expect(windowOf(offset(3, -1))).to.deep.equal({ skip: 3, limit: null });
  });
});
