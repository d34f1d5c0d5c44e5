import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const localized = { i18n: { localized: true } };
const models: readonly TestModel[] = [
  {
    uid: 'api::note.note',
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      title: { type: 'string', pluginOptions: localized },
      part: { type: 'component', component: 'base.part' },
      writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer', inversedBy: 'notes' },
    },
  },
  {
    uid: 'api::writer.writer',
    kind: 'collectionType',
    info: { singularName: 'writer', pluralName: 'writers', displayName: 'Writer' },
    attributes: {
      title: { type: 'string' },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'writer' },
    },
  },
  {
    uid: 'api::home.home',
    kind: 'singleType',
    info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
    attributes: { title: { type: 'string' } },
  },
  { uid: 'base.part', info: { displayName: 'Part' }, attributes: { label: { type: 'string' } } },
];

/** A write, with the title that its client sends, of an entry whose title code before the write replaces. */
type Write = (serving: ServedProject, id: number) => Promise<unknown>;

const rest =
  (path: string, data: object = {}): Write =>
  async ({ call }, id) => {
    const answer = await call('PUT', `/api/${path.replace(':id', String(id))}`, { data: { title: 'sent', ...data } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  };

const updates: readonly (readonly [what: string, uid: string, write: Write])[] = [
  ['REST, of a value', 'api::writer.writer', rest('writers/:id')],
  ['REST, of a value of a localized type', 'api::note.note', rest('notes/:id')],
  ['REST, with a component', 'api::note.note', rest('notes/:id', { part: { label: 'x' } })],
  ['REST, with links that the entry stores', 'api::note.note', rest('notes/:id', { writer: 1 })],
  ['REST, with links that others store', 'api::writer.writer', rest('writers/:id', { notes: [1] })],
  ['REST, of a publication', 'api::note.note', rest('notes/:id', { publishedAt: '2026-01-01T00:00:00.000Z' })],
  ['REST, of a single type', 'api::home.home', rest('home')],
  [
    'REST, with If-Match',
    'api::writer.writer',
    async ({ server }, id) => {
      const url = `${server.url}/api/writers/${String(id)}`;
      const tag = (await fetch(url)).headers.get('etag') ?? '';
      const headers = { 'content-type': 'application/json', 'if-match': tag };
      const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ data: { title: 'sent' } }) });
      expect(answer.status).to.equal(200);
    },
  ],
  [
    'a batch',
    'api::writer.writer',
    ({ call }, id) => {
      const request = { method: 'PUT', path: `/writers/${String(id)}`, body: { data: { title: 'sent' } } };
      return call('POST', '/api/batch', { transaction: true, requests: [request] });
    },
  ],
  [
    'GraphQL',
    'api::writer.writer',
    ({ call }, id) =>
      call('POST', '/graphql', {
        query: `mutation { updateWriter(id: ${String(id)}, data: { title: "sent" }) { data { id } } }`,
      }),
  ],
  [
    'entityService',
    'api::writer.writer',
    ({ strapi }, id) => strapi.entityService.update('api::writer.writer', id, { data: { title: 'sent' } }),
  ],
  [
    'strapi.db.query',
    'api::writer.writer',
    ({ strapi }, id) => strapi.db.query('api::writer.writer').update({ where: { id }, data: { title: 'sent' } }),
  ],
];

describe('data that code before an update has changed', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject({}, { models });
  });
  after(() => serving.stop());

  for (const [what, uid, write] of updates)
    it(`is stored: ${what}`, async () => {
      const { strapi } = serving;
      const { id } = await strapi.entityService.create(uid, { data: { title: 'first' } });
      const end = strapi.db.lifecycles.subscribe({
        models: [uid],
        beforeUpdate: ({ params }: { readonly params: { readonly data: Record<string, unknown> } }) => {
          params.data['title'] = `${String(params.data['title'])}, changed`;
        },
      });
      try {
        await write(serving, Number(id));
      } finally {
        end();
      }
      const stored = await strapi.db.query(uid).findOne({ where: { id } });
      expect(stored).to.include({ title: 'sent, changed' });
    });
});
