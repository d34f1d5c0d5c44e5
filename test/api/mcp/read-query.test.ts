import { expect } from 'chai';
import { readQuery } from '#api/mcp/read-query.js';

describe('the query of an agent', () => {
  const call = { running: { config: { api: { limits: { queryDepth: 20, filterDepth: 20, filters: 100 } } } } } as never;
  const read = (input: object, draftAndPublish = true) =>
    readQuery({ type: 'page', ...input }, { singularName: 'page', draftAndPublish } as never, call);

  it('is parsed once for the same arguments, so that its plan is made once', () => {
    const input = { filters: { title: 'x' }, sort: 'title', status: 'draft', pagination: { cursors: true, limit: 3 } };
    expect(read(structuredClone(input))).to.equal(read(structuredClone(input)));
    expect(read({ fields: ['title'], id: 1 })).to.equal(read({ fields: ['title'], id: 2 }));
    expect(read({ fields: ['title'] })).to.not.equal(read({ fields: ['title'], status: 'all' }));
  });

  it('is refused for a type without drafts, also if another type has asked the same', () => {
    read({ status: 'draft' });
    expect(() => read({ status: 'draft' }, false)).to.throw('page has no drafts');
  });
});
