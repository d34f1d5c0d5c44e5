import { expect } from 'chai';
import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { diff } from '#api/graphql/live/diff.js';

const apply = (before: unknown, operations: readonly object[]): unknown =>
  jsonPatch.applyPatch({ root: structuredClone(before) }, under(operations), true).newDocument.root;

/** Puts operations below a key, because the library cannot replace a whole value that is no object. */
const under = (operations: readonly object[]): Operation[] =>
  operations.map((one) => {
    const { path, from } = one as { readonly path: string; readonly from?: string };
    return { ...one, path: `/root${path}`, ...(from !== undefined && { from: `/root${from}` }) } as Operation;
  });

const entry = fc.record({
  id: fc.integer({ min: 1, max: 8 }).map(String),
  title: fc.string(),
  tags: fc.array(fc.integer({ max: 3, min: 0 })),
});
const list = fc.uniqueArray(entry, { selector: ({ id }) => id });

describe('the differences of answers', () => {
  it('make one list of entries of another', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        expect(apply(before, diff(before, after))).to.deep.equal(after);
      }),
      { numRuns: 500 },
    );
  });

  it('make any JSON value of another', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [before, after] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))] as unknown[];
        expect(apply(before, diff(before, after))).to.deep.equal(after);
      }),
      { numRuns: 500 },
    );
  });

  const entries = (...ids: readonly number[]) => ids.map((id) => ({ id, title: `entry ${String(id)}` }));
  const cases: readonly (readonly [about: string, before: unknown, after: unknown, operations: readonly object[]])[] = [
    [
      'an entry at the top of a full page',
      entries(1, 2, 3),
      entries(4, 1, 2),
      [
        { op: 'remove', path: '/2' },
        { op: 'add', path: '/0', value: entries(4)[0] },
      ],
    ],
    ['an entry that moves up', entries(1, 2, 3), entries(3, 1, 2), [{ op: 'move', from: '/2', path: '/0' }]],
    ['names with slashes and tildes', { 'a/b~c': 1 }, { 'a/b~c': 2 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }]],
    ['nothing', entries(1), entries(1), []],
  ];
  for (const [about, before, after, operations] of cases)
    it(`name ${about}`, () => {
      expect(diff(before, after)).to.deep.equal(operations);
    });
});
