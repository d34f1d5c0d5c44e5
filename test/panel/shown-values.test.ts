import { expect } from 'chai';
import { shownValues } from '../../panel/preview/shown-values.js';

describe('the values of a form that a page may have', () => {
  it('have no passwords, private attributes and unknown values, at any depth', () => {
    const text = { type: 'string' };
    const part = { attributes: { title: text, code: { type: 'password' } } };
    const attributes = {
      ...{ title: text, secret: { type: 'string', private: true }, pass: { type: 'password' }, link: { type: 'relation' } },
      ...{ one: { type: 'component', component: 'a.part' }, all: { type: 'component', component: 'a.part' } },
      zone: { type: 'dynamiczone' },
    };
    const inner = { id: 3, title: 'b', code: 'c', other: 1 };
    const values = {
      ...{ id: 1, title: 'a', secret: 's', pass: 'p', link: [{ id: 2 }], one: inner, all: [inner], createdBy: { id: 1 } },
      zone: [
        { __component: 'a.part', ...inner },
        { __component: 'a.gone', title: 'x' },
      ],
    };
    const shown = { id: 3, title: 'b' };
    expect(shownValues(values, attributes, { 'a.part': part })).to.deep.equal({
      ...{ id: 1, title: 'a', link: [{ id: 2 }], one: shown, all: [shown] },
      zone: [{ __component: 'a.part', ...shown }, null],
    });
  });
});
