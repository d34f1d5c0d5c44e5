import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observation } from '../../src/observe/observation.js';
import { serveModels, type Serving } from '../support/serve.js';

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
  for (const [method, path, body, expected] of cases)
    it(`${method} ${path}: ${expected.map((one) => String(Reflect.get(one, 'kind'))).join(', ')}`, async () => {
      await serving.call(method, path, body);
      while (seen.length < expected.length) await delay(5);
      for (const [index, values] of expected.entries()) expect(seen[index]).to.include(values);
      expect(seen).to.have.length(expected.length);
    });
});
