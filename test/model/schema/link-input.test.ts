import { expect } from 'chai';
import { applyLinkInput, namesAllItChanges, type LinkInput } from '#model/schema/apply-link-input.js';
import { maximumLinks, parseLinkInput } from '#model/schema/link-input.js';

const parse = (value: unknown): LinkInput => parseLinkInput(value, 'api::book.book') ?? { kind: 'none' };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('applyLinkInput', () => {
  const count = maximumLinks;
  const before = (id: number) => ({ id, position: { before: id + 1 } });
  const after = (id: number) => ({ id, position: { after: id - 1 } });
  const long: Readonly<Record<string, readonly [current: readonly number[], input: unknown, expected: readonly number[]]>> = {
    'a chain of before': [[], { connect: [...upTo(count - 1).map(before), count] }, upTo(count)],
    'a chain of after': [[1], { connect: upTo(count).slice(1).reverse().map(after) }, upTo(count)],
    'all to the start': [
      upTo(count),
      { connect: upTo(count).map((id) => ({ id, position: { start: true } })) },
      upTo(count).reverse(),
    ],
    'all removed and connected': [
      upTo(count),
      { disconnect: upTo(count), connect: upTo(count).reverse() },
      upTo(count).reverse(),
    ],
  };
  for (const [name, [current, input, expected]] of Object.entries(long))
    it(`${name}, ${String(count)} long`, () => {
      expect(applyLinkInput(current, parse(input))).to.deep.equal(expected);
    });

  const moved: readonly (readonly [connect: readonly unknown[], expected: readonly number[]])[] = [
    [
      [
        { id: 39, position: { before: 3 } },
        { id: 3, position: { end: true } },
      ],
      [39, 15, 21, 33, 3],
    ],
    [
      [
        { id: 3, position: { after: 15 } },
        { id: 15, position: { after: 3 } },
      ],
      [3, 15, 21, 33, 39],
    ],
    [
      [
        { id: 3, position: { end: true } },
        { id: 39, position: { before: 3 } },
      ],
      [15, 21, 33, 39, 3],
    ],
    [
      [
        { id: 7, position: { after: 8 } },
        { id: 8, position: { before: 15 } },
      ],
      [3, 8, 7, 15, 21, 33, 39],
    ],
    [
      [
        { id: 7, position: { after: 8 } },
        { id: 8, position: { after: 21 } },
        { id: 21, position: { start: true } },
      ],
      [21, 3, 15, 8, 7, 33, 39],
    ],
    [
      [
        { id: 15, position: { after: 21 } },
        { id: 21, position: { after: 33 } },
      ],
      [3, 15, 33, 21, 39],
    ],
  ];
  for (const [connect, expected] of moved)
    it(`${JSON.stringify(connect)} takes an anchor of the list where it is`, () => {
      expect(applyLinkInput([3, 15, 21, 33, 39], parse({ connect }))).to.deep.equal(expected);
    });

  it('refuses an entry as its own anchor', () => {
    const connect = [{ id: 3, position: { after: 3 } }];
    expect(() => applyLinkInput([3, 15], parse({ connect }))).to.throw(/^A circular reference/);
  });

  it('refuses a circle, however long', () => {
    const connect = [...upTo(count - 1).map(before), { id: count, position: { before: 1 } }];
    expect(() => applyLinkInput([], parse({ connect }))).to.throw(/^A circular reference/);
  });

  const named: readonly (readonly [unknown, boolean])[] = [
    [{ connect: [1, { id: 2, position: { end: true } }], disconnect: [3] }, true],
    [{ connect: [{ id: 1, position: { start: true } }] }, false],
    [{ connect: [{ id: 1, position: { after: 2 } }] }, false],
    [[1], false],
    [null, false],
  ];
  for (const [input, expected] of named)
    it(`${JSON.stringify(input)} ${expected ? 'keeps' : 'may move'} the links that it does not name`, () => {
      expect(namesAllItChanges(parse(input))).to.equal(expected);
    });
});
