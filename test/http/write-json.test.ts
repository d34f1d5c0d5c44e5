import { expect } from 'chai';
import { writeJson } from '#http/count-memory.js';

class Named {
  readonly name = 'n';
}

describe('writeJson', () => {
  const nest = (levels: number): object => (levels === 0 ? { text: 'x', list: [1, { a: [] }] } : { inner: [nest(levels - 1)] });
  const values: Readonly<Record<string, object>> = {
    'an empty object': {},
    'an empty list': [],
    'empty ones inside': { data: [], meta: {} },
    scalars: [0, -1.5, 1e21, NaN, true, null, '', 'text'],
    'what is no JSON in an object': { a: undefined, b: () => 1, c: Symbol('s'), d: 1 },
    'nothing but what is no JSON': { a: undefined },
    'what is no JSON in a list': [undefined, () => 1, Symbol('s'), 1],
    'text of several bytes': { 'ключ"\n': 'Größe 水 😀 \u2028 \ud800' },
    'values with a form of their own': { at: new Date(0), other: { toJSON: () => ({ a: [1] }) }, named: new Named() },
    'an object without a prototype': Object.assign(Object.create(null) as object, { a: { b: 1 } }),
    'many levels': nest(20),
  };
  for (const [title, value] of Object.entries(values))
    for (const estimate of [0, 1_000])
      it(`writes as JSON.stringify does: ${title}, estimate ${String(estimate)}`, () => {
        expect(writeJson(value, estimate).toString()).to.equal(JSON.stringify(value));
      });
});
