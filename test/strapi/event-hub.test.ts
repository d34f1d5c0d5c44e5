import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import { collectionType } from '../support/collection-type.js';
import { type Received, Receiver } from '../support/receiver.js';
import type { TestModel } from '../support/serve.js';

const post: TestModel = {
  uid: 'api::post.post',
  kind: 'collectionType',
  info: { singularName: 'post', pluralName: 'posts', displayName: 'Post' },
  attributes: { title: { type: 'string' }, secret: { type: 'string', private: true } },
};

const note = collectionType('note', post['attributes'] as object, { options: { draftAndPublish: true } });

interface Payload {
  readonly model: string;
  readonly uid: string;
  readonly entry: { readonly id: number; readonly title: string };
}

/** Writes, and the events that they are announced by. */
const writes: readonly (readonly [
  title: string,
  run: (serving: ServedProject, id: number) => Promise<unknown>,
  events: readonly string[],
])[] = [
  ['a create', ({ call }) => call('POST', '/api/posts', { data: { title: 'a' } }), ['entry.create']],
  ['an update', ({ call }, id) => call('PUT', `/api/posts/${String(id)}`, { data: { title: 'a' } }), ['entry.update']],
  ['a delete', ({ call }, id) => call('DELETE', `/api/posts/${String(id)}`), ['entry.delete']],
  ['a create of code', ({ strapi }) => strapi.entityService.create('api::post.post', { data: { title: 'a' } }), ['entry.create']],
  [
    'entries that code deletes together',
    ({ strapi }, id) => strapi.entityService.deleteMany('api::post.post', { filters: { id } }),
    ['entry.delete'],
  ],
  ['no entries that code deletes', ({ strapi }) => strapi.entityService.deleteMany('api::post.post', { filters: { id: 0 } }), []],
  ['a write that is refused', ({ call }) => call('POST', '/api/posts', { data: { title: {} } }), []],
  ['a read', ({ call }) => call('GET', '/api/posts'), []],
];

describe('strapi.eventHub', () => {
  let serving: ServedProject;
  let id = 0;
  before(async () => {
    serving = await serveProject({}, { models: [post, note], config: { webhooks: { allowPrivate: true } } });
  });
  after(() => serving.stop());
  beforeEach(async () => {
    ({ id } = await serving.strapi.entityService.create('api::post.post', { data: { title: 'a', secret: 's' } }));
  });
  afterEach(() => serving.strapi.eventHub.destroy());

  for (const [title, run, expected] of writes)
    it(`announces ${title}: ${expected.join(', ') || 'nothing'}`, async () => {
      const seen: unknown[] = [];
      const heard: string[] = [];
      serving.strapi.eventHub.subscribe((name: string) => heard.push(name));
      for (const name of ['entry.create', 'entry.update', 'entry.delete'])
        serving.strapi.eventHub.on(name, ({ model, uid, entry }: Payload) =>
          seen.push([name, model, uid, entry.title, 'secret' in entry]),
        );
      await run(serving, id);
      expect(seen).to.deep.equal(expected.map((name) => [name, 'post', 'api::post.post', 'a', false]));
      expect(heard).to.deep.equal(expected);
    });

  it('announces publications, and what happens to files', async () => {
    const { eventHub } = serving.strapi;
    const seen: unknown[] = [];
    for (const name of ['entry.publish', 'entry.unpublish'])
      eventHub.on(name, ({ uid, entry }: Payload) => seen.push([name, uid, entry.title, 'secret' in entry]));
    for (const name of ['media.create', 'media.update', 'media.delete'])
      eventHub.on(name, ({ media }: { readonly media: { readonly name: string } }) => seen.push([name, media.name]));
    const note = Number((await serving.call('POST', '/api/notes', { data: { title: 'a' } })).body.data.id);
    for (const data of [{ title: 'b' }, { publishedAt: null }, { title: 'c' }, { publishedAt: '2026-01-01T00:00:00.000Z' }])
      await serving.call('PUT', `/api/notes/${String(note)}`, { data });
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const [file] = (await (await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body: form })).json()) as [
      { id: number },
    ];
    await serving.call('DELETE', `/api/upload/files/${String(file.id)}`);
    expect(seen).to.deep.equal([
      ['entry.unpublish', 'api::note.note', 'b', false],
      ['entry.publish', 'api::note.note', 'c', false],
      ['media.create', 'a.txt'],
      ['media.delete', 'a.txt'],
    ]);
  });

  it('tells webhooks of events of code that they name', async () => {
    const receiver = new Receiver();
    await receiver.listen();
    const { eventHub, webhookStore, db } = serving.strapi;
    const values = { name: 'own', url: receiver.url(), headers: { 'x-key': 'k' }, events: ['review.done'] };
    const refused: unknown = await webhookStore.createWebhook(values).catch((error: unknown) => error);
    expect(String(refused)).to.include('Webhook event review.done is not supported');
    webhookStore.addAllowedEvent('REVIEW_DONE', 'review.done');
    expect(webhookStore.getAllowedEvent('REVIEW_DONE')).to.equal('review.done');
    const made = await webhookStore.createWebhook(values);
    expect(await webhookStore.findWebhook(made.id)).to.deep.equal({ id: made.id, ...values, isEnabled: true });
    expect(await db.query('webhook').findOne({ where: { name: 'own' } })).to.deep.include({ url: values.url, enabled: true });
    await eventHub.emit('review.done', { stage: 2 });
    await eventHub.emit('review.begun', { stage: 1 });
    const [{ body, headers }] = (await receiver.until(1)) as [Received];
    expect(body).to.deep.include({ event: 'review.done', stage: 2 });
    expect(headers).to.include({ 'x-strapi-event': 'review.done', 'x-key': 'k' });
    expect(await webhookStore.updateWebhook(made.id, { ...values, name: 'other', isEnabled: false })).to.include({
      name: 'other',
    });
    expect(await webhookStore.deleteWebhook(made.id)).to.include({ isEnabled: false });
    expect([await webhookStore.findWebhooks(), await webhookStore.deleteWebhook(made.id)]).to.deep.equal([[], null]);
    await receiver.close();
  });

  it('calls a listener until it is taken away, and one of once a single time', async () => {
    const { eventHub } = serving.strapi;
    const seen: string[] = [];
    const listen = (value: string) => seen.push(`on ${value}`);
    eventHub.on('own', listen);
    eventHub.once('own', (value: string) => seen.push(`once ${value}`));
    const end = eventHub.addListener('own', (value: string) => seen.push(`until the end ${value}`));
    await eventHub.emit('own', '1');
    end();
    await eventHub.emit('own', '2');
    eventHub.removeListener('own', listen);
    await eventHub.emit('own', '3');
    expect(seen).to.deep.equal(['on 1', 'once 1', 'until the end 1', 'on 2']);
  });

  it('stores what is written though a listener throws, or lifecycles are switched off', async () => {
    const { eventHub, db } = serving.strapi;
    let called = 0;
    eventHub.on('entry.create', () => {
      called += 1;
      throw new Error('a listener of a test');
    });
    db.lifecycles.disable();
    const { status } = await serving.call('POST', '/api/posts', { data: { title: 'b' } });
    db.lifecycles.enable();
    expect([status, called]).to.deep.equal([200, 1]);
  });

  it('costs no command once nobody listens', async () => {
    const create = () => serving.call('POST', '/api/posts', { data: { title: 'c' } });
    const { commands } = await serving.countCommands(create);
    serving.strapi.eventHub.on('entry.create', () => undefined)();
    expect((await serving.countCommands(create)).commands).to.deep.equal(commands);
  });
});
