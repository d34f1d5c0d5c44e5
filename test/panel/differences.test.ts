import { expect } from 'chai';
import { differencesOf, textOf } from '../../panel/history/differences.js';

const long = 'x'.repeat(500);

const cases: readonly (readonly [title: string, before: object, after: object, found: readonly (readonly string[])[]])[] = [
  ['a changed text', { title: 'a' }, { title: 'b' }, [['title', 'a', 'b']]],
  ['nothing that became a value', { title: null }, { title: 'b' }, [['title', '', 'b']]],
  ['an attribute that one does not have', {}, { on: false }, [['on', '', 'false']]],
  ['what the service sets', { id: 1, updatedAt: 'a', createdBy: { id: 1 } }, { id: 2, updatedAt: 'b', createdBy: { id: 2 } }, []],
  [
    'links',
    { author: { id: 1 }, tags: [{ id: 1 }] },
    { author: { id: 2 }, tags: [] },
    [
      ['author', '#1', '#2'],
      ['tags', '#1', ''],
    ],
  ],
  [
    'a component',
    { seo: { id: 1, title: 'a', note: 'n' } },
    { seo: { id: 9, title: 'b', note: 'n' } },
    [['seo.title', 'a', 'b']],
  ],
  [
    'a list of components',
    { parts: [{ id: 1, a: 1 }] },
    {
      parts: [
        { id: 2, a: 1 },
        { id: 3, a: 2 },
      ],
    },
    [['parts[1]', '', 'a: 2']],
  ],
  [
    'another component of a dynamic zone',
    { zone: [{ __component: 'x.a', a: 1 }] },
    { zone: [{ __component: 'x.b', b: 1 }] },
    [['zone[0]', 'a: 1', 'b: 1']],
  ],
  ['a new component', { seo: null }, { seo: { id: 1, title: 'b' } }, [['seo', '', 'title: b']]],
  ['the publication state', { publishedAt: null }, { publishedAt: 'now' }, [['publishedAt', '', 'now']]],
  ['a long text', { text: `${long}a` }, { text: `${long}b` }, [['text', `…${'x'.repeat(40)}a`, `…${'x'.repeat(40)}b`]]],
];

describe('the differences of two versions', () => {
  for (const [title, before, after, found] of cases)
    it(`are found in ${title}`, () => {
      const rows = differencesOf(before as Record<string, unknown>, after as Record<string, unknown>);
      expect(rows.map((row) => [row.path, row.before, row.after])).to.deep.equal(found);
    });

  it('have values as texts', () => {
    expect([1, true, 'a', null, [{ id: 3 }], { id: 4, a: [1, 2] }].map(textOf)).to.deep.equal([
      '1',
      'true',
      'a',
      '',
      '#3',
      'a: 1, 2',
    ]);
  });
});
