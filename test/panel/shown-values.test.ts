import { expect } from 'chai';
import { shownValues } from '../../panel/preview/shown-values.js';

describe('the values of a form that a page may have', () => {
  it('have no passwords, private attributes and unknown values, at any depth', () => {
    const text = { type: 'string' };
    const part = { attributes: { title: text, code: { type: 'password' } } };
    const attributes = {
      ...{ title: text, secret: { type: 'string', private: true }, pass: { type: 'password' } },
      link: { type: 'relation', relation: 'manyToMany' },
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
      ...{ id: 1, title: 'a', link: [2], one: shown, all: [shown] },
      zone: [{ __component: 'a.part', ...shown }, null],
    });
  });

  it('have relations by their ids, and files as the content API answers them', () => {
    const attributes = {
      author: { type: 'relation', relation: 'manyToOne' },
      none: { type: 'relation', relation: 'oneToOne' },
      tags: { type: 'relation', relation: 'manyToMany' },
      cover: { type: 'media' },
      photos: { type: 'media' },
      part: { type: 'component', component: 'a.part' },
    };
    const related = (id: number) => ({
      id,
      name: 'n',
      mainField: 'n',
      href: '/x',
      __temp_key__: 'a0',
      publicationState: 'draft',
    });
    const file = { id: 5, url: '/a.png', formats: null };
    const values = {
      author: [related(1)],
      none: [],
      tags: [related(3), related(2)],
      cover: { ...file, folder: { id: 1 }, createdBy: { id: 1 }, isSelectable: true },
      photos: [{ ...file, folderPath: '/1' }],
      part: { id: 9, __temp_key__: 1, author: [related(1)], cover: null },
    };
    const part = { attributes: { author: attributes.author, cover: attributes.cover } };
    expect(shownValues(values, attributes, { 'a.part': part })).to.deep.equal({
      ...{ author: 1, none: null, tags: [3, 2], cover: file, photos: [file], part: { id: 9, author: 1, cover: null } },
    });
  });
});
