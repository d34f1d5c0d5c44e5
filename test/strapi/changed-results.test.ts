import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, attributes: object): TestModel => collectionType(name, { title: { type: 'string' }, ...attributes });

const localized = { pluginOptions: { i18n: { localized: true } } };

const models = [
  model('note', {
    hush: { type: 'string', private: true },
    day: { type: 'date' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
  }),
  model('tag', {}),
  { ...model('page', { title: { type: 'string', ...localized } }), ...localized },
];

const uid = 'api::note.note';
const data = { title: 'sent', hush: 'h', day: '2020-02-29', tags: [1] };

/** Ways to write an entry. Each returns the entry as it is answered. */
const ways = {
  'REST create': async ({ call }: ServedProject) => {
    const { body } = await call('POST', '/api/notes?populate=tags&fields[0]=title&fields[1]=day', { data });
    return { id: body.data.id, ...body.data.attributes, tags: body.data.attributes.tags.data.length };
  },
  'REST update': async ({ call }: ServedProject) => {
    const { body } = await call('PUT', '/api/notes/1?populate=tags&fields[0]=title&fields[1]=day', { data });
    return { id: body.data.id, ...body.data.attributes, tags: body.data.attributes.tags.data.length };
  },
  GraphQL: async ({ call }: ServedProject) => {
    const query =
      'mutation ($data: NoteInput!) { updateNote(id: 1, data: $data) { data { id attributes { title day tags { data { id } } } } } }';
    const { updateNote } = (await call('POST', '/graphql', { query, variables: { data } })).body.data;
    const { attributes } = updateNote.data;
    return { id: Number(updateNote.data.id), ...attributes, tags: attributes.tags.data.length };
  },
  entityService: async ({ strapi }: ServedProject) => {
    const entry = await strapi.entityService.update(uid, 1, { data, fields: ['title', 'day'], populate: ['tags'] });
    return { ...entry, tags: entry.tags.length };
  },
} as const;

interface Event {
  result: Record<string, unknown>;
  params: { where?: object; populate?: object };
}

const answer = { title: 'sent', day: '2020-02-29', tags: 1 };
const known: readonly (keyof typeof ways)[] = ['REST create', 'REST update', 'GraphQL', 'entityService'];

/** What code after a write does with the result, the ways to write, and what they answer besides the id. */
const changes: readonly (readonly [after: (event: Event) => unknown, ways: readonly (keyof typeof ways)[], answer: object])[] = [
  [() => undefined, known, answer],
  [(event) => (event.result['title'] = 'changed'), known, { ...answer, title: 'changed' }],
  [async (event) => Promise.resolve((event.result['title'] = null)), known, { ...answer, title: null }],
  [(event) => (event.result = { title: 'replaced' }), known, answer],
  [(event) => (event.result['hush'] = 'shown'), ['REST create', 'REST update', 'GraphQL'], answer],
  [(event) => (event.result['extra'] = 1), ['REST create', 'REST update', 'entityService'], { ...answer, extra: 1 }],
  [(event) => delete event.result['day'], ['REST create', 'REST update'], { title: 'sent', tags: 1 }],
  [(event) => (event.result['tags'] = []), ['REST create', 'REST update', 'entityService'], { ...answer, tags: 0 }],
];

describe('the result of a write that code after it changes', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    const documents = { i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code })) };
    serving = await serveProject(
      {},
      { models, documents, logger: log.logger, config: { plugins: { graphql: { enabled: true } } } },
    );
    await serving.strapi.entityService.create('api::tag.tag', { data: { title: 'red' } });
    await serving.strapi.entityService.create(uid, { data });
  });
  after(() => serving.stop());

  const during = async <Result>(listeners: object, work: () => Promise<Result>): Promise<Result> => {
    const end = serving.strapi.db.lifecycles.subscribe({ models: [uid], ...listeners });
    return work().finally(() => end());
  };

  for (const [after, written, expected] of changes)
    for (const way of written)
      it(`${way}: ${String(after)}`, async () => {
        const { id, ...shown } = await during({ afterCreate: after, afterUpdate: after }, () => ways[way](serving));
        expect(id).to.be.a('number');
        expect(shown).to.deep.equal(expected);
      });

  it('stays as it was stored', async () => {
    expect(await serving.strapi.entityService.findOne(uid, 1)).to.include({ title: 'sent', hush: 'h' });
  });

  it('is answered with the other locales of an entry', async () => {
    const page = 'api::page.page';
    const { id } = await serving.strapi.entityService.create(page, { data: { title: 'sent' } });
    const path = `/api/pages/${String(id)}`;
    await serving.call('POST', `${path}/localizations`, { locale: 'fr', title: 'envoyé' });
    const change = ({ result }: Event) => (result['title'] = 'changed');
    const listeners = { models: [page], afterCreate: change, afterUpdate: change, afterDelete: change };
    const end = serving.strapi.db.lifecycles.subscribe(listeners);
    const other = await serving.strapi.entityService.create(page, { data: { title: 'other' } });
    const localized = await serving.call('POST', `/api/pages/${String(other.id)}/localizations`, {
      locale: 'fr',
      title: 'autre',
    });
    expect([localized.body.title, localized.body.localizations.length]).to.deep.equal(['changed', 1]);
    for (const [method, query] of [
      ['PUT', ''],
      ['PUT', '?populate=localizations'],
      ['DELETE', '?populate=*'],
    ] as const) {
      const { body } = await serving.call(method, `${path}${query}`, { data: { title: 'sent' } });
      const { attributes, meta } = body.data;
      expect([attributes.title, meta.availableLocales], `${method} ${query}`).to.deep.equal(['changed', ['fr']]);
      if (query !== '') expect(attributes.localizations.data[0].attributes.title).to.equal('envoyé');
    }
    end();
  });

  it('is answered for files', async () => {
    const change = ({ result }: Event) => Object.assign(result, { caption: 'changed', extra: 1 });
    const file = 'plugin::upload.file';
    const end = serving.strapi.db.lifecycles.subscribe({ models: [file], afterCreate: change, afterUpdate: change });
    const body = new FormData();
    body.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const response = await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body });
    const [made] = (await response.json()) as [{ readonly id: number; readonly name: string }];
    expect(made).to.include({ name: 'a.txt', caption: 'changed', extra: 1 });
    const info = await serving.strapi.plugin('upload').service('upload').updateFileInfo(made.id, { caption: 'sent' });
    expect(info).to.include({ caption: 'changed', extra: 1 });
    end();
    expect(await serving.strapi.entityService.findOne(file, made.id)).to.include({ caption: 'sent' });
  });

  it('is the former one in a transaction of code, which the log says', async () => {
    const afterUpdate = ({ result }: Event) => (result['title'] = 'late');
    const work = () => serving.strapi.db.transaction(() => ways.entityService(serving));
    expect(await during({ afterUpdate }, work)).to.include({ title: 'sent' });
    expect(log.lines.filter(({ msg }) => String(msg).startsWith(`${uid}: changes of event.result after a write`))).to.have.length(
      1,
    );
  });

  for (const [model, expected] of [
    ['shared.seo', 'lifecycles of shared.seo never run: components are stored in their entry'],
    ['admin::user', 'lifecycles of admin::user never run: it belongs to the admin panel'],
    [uid, null],
  ] as const)
    it(`of ${model} ${expected === null ? 'is heard' : 'is never heard, which the log says'}`, () => {
      serving.strapi.db.lifecycles.subscribe({ models: [model], beforeCreate: () => undefined })();
      const told = log.lines.filter(({ msg }) => String(msg).startsWith(`lifecycles of ${model}`));
      expect(told.map(({ msg }) => String(msg).startsWith(expected ?? ''))).to.deep.equal(expected === null ? [] : [true]);
    });

  for (const [name, change] of [
    ['where', ({ params }: Event) => Object.assign(params.where ?? {}, { id: 2 })],
    ['populate', ({ params }: Event) => (params.populate = { tags: true })],
  ] as const)
    it(`before it, a change of event.params.${name} is told once`, async () => {
      for (let time = 0; time < 2; time++)
        expect(await during({ beforeUpdate: change }, () => ways['REST update'](serving))).to.include({ id: 1, title: 'sent' });
      const text = `${uid}: a change of event.params.${name} before a write has no effect`;
      expect(log.lines.filter(({ msg }) => String(msg).startsWith(text))).to.have.length(1);
    });
});
