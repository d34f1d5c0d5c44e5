import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const post: TestModel = {
  uid: 'api::post.post',
  kind: 'collectionType',
  info: { singularName: 'post', pluralName: 'posts', displayName: 'Post' },
  attributes: { title: { type: 'string' }, secret: { type: 'string', private: true } },
};

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
  ['a write that is refused', ({ call }) => call('POST', '/api/posts', { data: { title: {} } }), []],
  ['a read', ({ call }) => call('GET', '/api/posts'), []],
];

describe('strapi.eventHub', () => {
  let serving: ServedProject;
  let id = 0;
  before(async () => {
    serving = await serveProject({}, { models: [post] });
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
