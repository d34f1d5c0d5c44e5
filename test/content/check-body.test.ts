import { expect } from 'chai';
import { acceptInput, acceptNewEntry } from '#content/accept-write.js';
import { type Access, fullAccess, type RowRule } from '#model/query/access.js';
import { noNotices } from '#base/notices.js';
import { bindContext, typeOf } from '../support/things.js';

const thing = typeOf('api::thing.thing');
const person = 'api::person.person';

const contextOf = (access: Access) => ({ bind: { ...bindContext, access }, notices: noNotices });
const accept = (data: unknown, access: Access = fullAccess) => acceptInput(thing, data, contextOf(access));

describe('acceptInput', () => {
  const cases: Readonly<Record<string, readonly [sent: unknown, accepted: object]>> = {
    'values of attributes': [
      { name: 'a', count: '1', secret: 's' },
      { name: 'a', count: '1', secret: 's' },
    ],
    'only names of attributes': [{ name: 'a', nothing: 1, constructor: 1, toString: 1 }, { name: 'a' }],
    'no attribute that the service sets': [{ id: 7, createdAt: 'x', updatedAt: 'x', name: null }, { name: null }],
    'no undefined value': [{ name: undefined, note: '' }, { note: '' }],
    'the known values of a component, and its id': [{ main: { id: 3, label: 'l', nothing: 1 } }, { main: { id: 3, label: 'l' } }],
    'values that are not components unchanged, to be refused later': [
      { main: 5, parts: [null, 'x'] },
      { main: 5, parts: [null, 'x'] },
    ],
    'each component of a list': [{ parts: [{ label: 'a', nothing: 1 }, { size: 2 }] }, { parts: [{ label: 'a' }, { size: 2 }] }],
    'the parts of a dynamic zone by their components': [
      { zone: [{ __component: 'thing.part', label: 'a', nothing: 1 }, { __component: 'no.such', label: 'a' }, { label: 'a' }] },
      { zone: [{ __component: 'thing.part', label: 'a' }, { __component: 'no.such' }, {}] },
    ],
    'links in any form': [
      { owner: 1, tags: { connect: [1] }, photo: [2], subject: { __type: person, id: 1 } },
      { owner: 1, tags: { connect: [1] }, photo: [2], subject: { __type: person, id: 1 } },
    ],
  };
  for (const [name, [sent, accepted]] of Object.entries(cases))
    it(`takes ${name}`, () => {
      expect(accept(sent)).to.deep.equal(accepted);
    });

  const some: Access = { ...fullAccess, grants: { kind: 'actions', actions: new Set(['api::tag.tag.find']) } };
  const hiding: Access = {
    ...fullAccess,
    hidden: new Map([
      ['api::thing.thing', new Set(['name'])],
      ['thing.part', new Set(['label'])],
    ]),
  };
  const rights: Readonly<Record<string, readonly [access: Access, sent: object, accepted: object]>> = {
    'relations to types that the caller may not see': [some, { owner: 1, tags: [1], photo: 1 }, { tags: [1], photo: 1 }],
    'polymorphic links to types that the caller may not see': [
      some,
      { subject: { __type: person, id: 1 }, name: 'a' },
      { name: 'a' },
    ],
    'polymorphic links to types that the caller may not see in a list of changes': [
      some,
      {
        subject: {
          connect: [
            { __type: person, id: 1 },
            { __type: 'api::tag.tag', id: 1, position: { before: { __type: person, id: 2 } } },
            { __type: 'api::tag.tag', id: 2, position: { after: 1 } },
          ],
          disconnect: { __type: person, id: 3 },
          options: { strict: false },
        },
      },
      {
        subject: {
          connect: [
            { __type: 'api::tag.tag', id: 1, position: undefined },
            { __type: 'api::tag.tag', id: 2, position: { after: 1 } },
          ],
          disconnect: undefined,
          options: { strict: false },
        },
      },
    ],
    'attributes that a rule hides, also in components': [
      hiding,
      { name: 'a', note: 'b', main: { label: 'l', size: 1 } },
      { note: 'b', main: { size: 1 } },
    ],
  };
  for (const [name, [access, sent, accepted]] of Object.entries(rights))
    it(`leaves out ${name}`, () => {
      expect(accept(sent, access)).to.deep.equal(accepted);
    });

  it('keeps the null that removes a polymorphic link', () => {
    expect(accept({ subject: null }, some)).to.deep.equal({ subject: null });
  });

  for (const [data, message] of [
    [[], /^this must be a `object` type/],
    ['text', /^Missing "data" payload/],
    [null, /^Missing "data" payload/],
  ] as const)
    it(`refuses ${JSON.stringify(data)}`, () => {
      expect(() => accept(data)).to.throw(message);
    });
});

describe('acceptNew', () => {
  const rule: RowRule = { filter: { kind: 'and', filters: [] }, owner: { owner: 7, nothing: 7 }, isOwnership: true };
  const access: Access = { ...fullAccess, rules: new Map([['api::thing.thing', rule]]) };
  const acceptOf = (data: object) => acceptNewEntry(thing, data, contextOf(access));

  it('adds the owner that the row rule of the caller requires', () => {
    expect(acceptOf({ name: 'a' })).to.deep.equal({ name: 'a', owner: 7 });
  });

  it('keeps an owner that the data names, to be checked later', () => {
    expect(acceptOf({ owner: 8 })).to.deep.equal({ owner: 8 });
  });
});
