import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observation } from '#base/observe/observation.js';
import { serveModels, type Serving } from '../../support/serve.js';

const note = {
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { title: { type: 'string' } },
};

describe('The service observes', () => {
  let serving: Serving;
  let seen: Observation[] = [];
  const see = (observation: Observation): void => void seen.push(observation);
  before(async () => {
    const notes = [1, 2, 3].map((_id) => ({ _id, title: 'a' }));
    serving = await serveModels({ models: [note], documents: { notes }, config: { api: { limits: { entriesRead: 2 } } } });
    serving.server.observer.add({ 'request ended': see, 'budget refused': see });
  });
  after(() => serving.stop());
  beforeEach(() => {
    seen = [];
  });

  const list = { query: '{ notes { data { id } } }' };
  /** Requests, and what is observed of them. */
  const cases: readonly (readonly [method: string, path: string, body: unknown, expected: readonly object[]])[] = [
    [
      'GET',
      '/api/notes/1?fields=title',
      undefined,
      [{ kind: 'request ended', path: '/api/notes/1', route: '/api/notes/:id', status: 200 }],
    ],
    ['GET', '/api/none', undefined, [{ kind: 'request ended', path: '/api/none', route: '/api/:name', status: 404 }]],
    ['GET', '/none', undefined, [{ kind: 'request ended', path: '/none', route: null, status: 404 }]],
    [
      'GET',
      '/api/notes',
      undefined,
      [
        { kind: 'budget refused', limit: 'api.limits.entriesRead' },
        { kind: 'request ended', status: 400 },
      ],
    ],
    [
      'POST',
      '/graphql',
      list,
      [
        { kind: 'budget refused', limit: 'api.limits.entriesRead' },
        { kind: 'request ended', path: '/graphql' },
      ],
    ],
  ];
  const filters = (count: number): string =>
    Array.from({ length: count }, (_, index) => `filters[$or][${String(index)}][title]=a`).join('&');
  const nested = (levels: number): string => (levels === 0 ? 'id' : `notes { data { attributes { ${nested(levels - 1)} } } }`);
  /** Requests that a limit refuses, and its setting. */
  const refused: readonly (readonly [path: string, limit: string, body?: unknown])[] = [
    [`/api/notes?${filters(201)}`, 'api.limits.filterNodes'],
    [`/api/notes?${'a=1&'.repeat(1_201)}`, 'api.limits.parameters'],
    [`/api/notes?a${'[b]'.repeat(21)}=1`, 'api.limits.queryDepth'],
    [`/api/notes?${'a[]=1&'.repeat(1_001)}`, 'api.limits.listValues'],
    [`/api/notes?filters[title][$contains]=${'a'.repeat(8_001)}`, 'api.limits.textLength'],
    [`/api/notes?populate=${'a.'.repeat(11)}a`, 'api.limits.populateDepth'],
    [`/api/notes?${Array.from({ length: 101 }, (_, n) => `populate[]=a${String(n)}`).join('&')}`, 'api.limits.populateRelations'],
    [`/api/notes?sort=${'title,'.repeat(11)}`, 'api.limits.sortKeys'],
    [`/api/notes?${'a'.repeat(65_600)}`, 'api.limits.urlLength'],
    ['/api/batch', 'api.limits.batch', { requests: Array.from({ length: 101 }, () => ({})) }],
    ['/api/notes', 'middlewares.body.jsonLimit', { data: { title: 'a'.repeat(1_100_000) } }],
    ['/api/notes', 'middlewares.body.jsonDepth', JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`)],
    [
      '/graphql',
      'api.limits.filterNodes',
      { query: `{ notes(filters: { or: [${'{ title: { eq: "a" } } '.repeat(201)}] }) { data { id } } }` },
    ],
    ['/graphql', 'plugins.graphql.config.depthLimit', { query: `{ ${nested(6)} }` }],
    ['/graphql', 'plugins.graphql.config.limits.tokens', { query: `{ ${'notes { data { id } } '.repeat(5_000)} }` }],
  ];
  for (const [path, limit, body] of refused)
    it(`${path.slice(0, 60)} is refused by ${limit}`, async () => {
      await serving.call(body === undefined ? 'GET' : 'POST', path, body);
      while (!seen.some(({ kind }) => kind === 'request ended')) await delay(5);
      expect(seen.filter(({ kind }) => kind === 'budget refused')).to.deep.equal([{ kind: 'budget refused', limit }]);
    });

  it('a form that is too large is refused by the limit of forms', async () => {
    const body = new URLSearchParams({ 'data[title]': 'a'.repeat(1_100_000) });
    expect((await fetch(`${serving.server.localUrl}/api/notes`, { method: 'POST', body })).status).to.equal(413);
    while (!seen.some(({ kind }) => kind === 'request ended')) await delay(5);
    expect(seen).to.deep.include({ kind: 'budget refused', limit: 'middlewares.body.formLimit' });
  });

  for (const [method, path, body, expected] of cases)
    it(`${method} ${path}: ${expected.map((one) => String(Reflect.get(one, 'kind'))).join(', ')}`, async () => {
      await serving.call(method, path, body);
      while (seen.length < expected.length) await delay(5);
      for (const [index, values] of expected.entries()) expect(seen[index]).to.include(values);
      expect(seen).to.have.length(expected.length);
    });
});
