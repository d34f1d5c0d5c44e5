import { expect } from 'chai';
import { compareAnswers } from '../../scripts/bench/compare-answers.js';
import { peers } from '../../scripts/bench/peers/peers.js';
import { plainAnswer } from '../../scripts/bench/peers/plain-answer.js';
import { workload } from '../../scripts/bench/workload.js';

const live = 'publishedAt';

/** The requests of peers, by row. Texts are those that stand in the decoded address or the body. */
const asked: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  payload: {
    a: ['GET /api/articles?depth=0&limit=25&page=1&sort=-publishedAt&where[publishedAt][less_than]=2100-01-01T00:00:00.000Z'],
    b: ['depth=1', live],
    'c-narrow': [
      'where[author.name][greater_than_equal]=Aa',
      'where[author.name][less_than]=Ab',
      'where[categories.slug][in][2]=',
      live,
    ],
    d: ['GET /api/articles/00000000000000000000', '?depth=1'],
    i: ['page=200&sort=-publishedAt'],
    e: ['POST /api/articles?depth=0', '"author":"0000000000000000000000', '"categories":["0000000000000000000000'],
    f: ['PATCH /api/articles/00000000000000000000', '{"rating":0}'],
    's-relation': ['sort=author.name'],
    q: ['where[or][0][title][contains]=', 'where[or][2][body][contains]='],
  },
  parse: {
    a: [
      'GET /parse/classes/Article?where={"publishedAt":{"$lt":{"__type":"Date","iso":"2100-01-01T00:00:00.000Z"}}}&limit=25&skip=0&count=1&order=-publishedAt',
    ],
    b: ['include=author,categories,tags'],
    'c-narrow': [
      '{"author":{"$inQuery":{"className":"Author","where":{"name":{"$regex":"^\\\\QAa\\\\E"}}}}'.slice(1),
      '"className":"Category"',
    ],
    d: ['GET /parse/classes/Article/00000'],
    i: ['where={}', 'skip=4975'],
    q: ['"$or":[{"title":{"$regex":'],
    e: ['POST /parse/classes/Article ', '"author":{"__type":"Pointer","className":"Author","objectId":"0000000'],
    f: ['PUT /parse/classes/Article/00000', '{"rating":0}'],
  },
};

const unasked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payload: { o: 'no equal of "locale"', none: 'no equal of "$none"', g: 'no equal of /graphql' },
  parse: { k: 'no components and dynamic zones, of which pages consist', 's-relation': 'no sort by an attribute of a relation' },
};

function ask(peerName: string, key: string): string {
  const peer = peers.find(({ name }) => name === peerName);
  const row = workload.find((one) => one.key === key);
  if (!peer || !row) throw new Error(`${peerName}, ${key}: unknown`);
  const { method, path, body = '' } = peer.ask(row.ask(0, { size: '10k' }).product);
  return `${method} ${decodeURIComponent(path).replace(/\+/g, ' ')} ${body}`;
}

describe('peers of the benchmark', () => {
  for (const [peer, rows] of Object.entries(asked))
    for (const [key, parts] of Object.entries(rows))
      it(`${peer} is asked row ${key}`, () => {
        for (const part of parts) expect(ask(peer, key)).to.include(part);
      });

  for (const [peer, rows] of Object.entries(unasked))
    for (const [key, message] of Object.entries(rows))
      it(`${peer} cannot be asked row ${key}, and says why`, () => {
        expect(() => ask(peer, key)).to.throw(message);
      });

  const ours = {
    data: [
      {
        id: 7,
        attributes: { title: 'a', note: null, author: { data: { id: 2, attributes: { name: 'b' } } }, tags: { data: [] } },
      },
    ],
    meta: { pagination: { page: 1, total: 1 } },
  };
  const answers: Readonly<Record<string, (id: number, total: number) => unknown>> = {
    payload: (id, totalDocs) => ({
      docs: [{ id: hex(id), title: 'a', createdAt: 't', author: { id: hex(2), name: 'b', createdAt: 't' }, tags: [hex(3)] }],
      totalDocs,
    }),
    parse: (id, count) => ({
      results: [
        {
          objectId: `000000000${String(id)}`,
          title: 'a',
          author: { __type: 'Object', className: 'Author', objectId: '0000000002', name: 'b' },
          tags: [{ __type: 'Pointer', className: 'Tag', objectId: '0000000003' }],
        },
      ],
      count,
    }),
  };
  const hex = (id: number): string => id.toString(16).padStart(24, '0');

  for (const [name, answer] of Object.entries(answers))
    it(`the answer of ${name} is compared with the product's by ids and total`, () => {
      const read = peers.find((peer) => peer.name === name)?.read;
      const isSame = (theirs: unknown): boolean => compareAnswers(plainAnswer(ours), read?.(theirs)).sameIds;
      expect(isSame(answer(7, 1))).to.equal(true);
      expect(isSame(answer(8, 1))).to.equal(false);
      expect(isSame(answer(7, 2))).to.equal(false);
    });
});
