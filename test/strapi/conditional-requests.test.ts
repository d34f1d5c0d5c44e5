import { expect } from 'chai';
import { ifMatch, sendTo, unless, type Tagged } from '../support/conditional.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' } },
});

/** One type for each way in which code takes part. */
const names = ['plain', 'super', 'guarded', 'served', 'heard', 'alone'];

const router = (name: string, options = ''): string =>
  `const { factories } = require('@strapi/strapi');
   module.exports = factories.createCoreRouter('api::${name}.${name}'${options});`;

const files = {
  ...Object.fromEntries(names.map((name) => [`src/api/${name}/routes/${name}.js`, router(name)])),
  'src/api/super/controllers/super.js': `const { factories } = require('@strapi/strapi');
    let calls = 0;
    module.exports = factories.createCoreController('api::super.super', {
      async findOne(ctx) {
        const answer = await super.findOne(ctx);
        globalThis.superCalls = ++calls;
        return { ...answer, meta: { mood: globalThis.mood ?? 'calm' } };
      },
    });`,
  'src/api/guarded/routes/guarded.js': router(
    'guarded',
    `, { config: { find: { policies: [() => globalThis.isShut !== true] } } }`,
  ),
  'src/api/served/services/served.js': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreService('api::served.served', {
      async update(...args) { return super.update(...args); },
      async findOne(...args) { return super.findOne(...args); },
    });`,
  'src/api/alone/routes/alone.js': `module.exports = { routes: [{ method: 'GET', path: '/alones', handler: 'alone.find', config: { auth: false } }] };`,
  'src/api/alone/controllers/alone.js': `module.exports = { find: (ctx) => { ctx.body = { own: true }; } };`,
  'src/api/heard/content-types/heard/lifecycles.js': `module.exports = {
      afterFindOne({ result }) { result.title = globalThis.heardTitle ?? result.title; },
      beforeUpdate() { globalThis.updates = (globalThis.updates ?? 0) + 1; },
    };`,
};

describe('conditional requests and code of a project', () => {
  let serving: ServedProject;
  let send: ReturnType<typeof sendTo>;
  const world = globalThis as unknown as Record<string, unknown>;
  const get = (path: string, tag?: string): Promise<Tagged> => send('GET', path, tag === undefined ? {} : unless(tag));
  before(async () => {
    serving = await serveProject(files, { models: names.map(model) });
    send = sendTo(serving);
    for (const name of names.slice(0, -1)) await send('POST', `/api/${name}s`, { body: { data: { title: 'a' } } });
    await serving.settled();
  });
  after(() => serving.stop());

  it('routes without code answer without a command', async () => {
    const { tag } = await get('/api/plains/1');
    const { result, commands } = await serving.countCommands(() => get('/api/plains/1', tag));
    expect([result.status, commands]).to.deep.equal([304, []]);
  });

  it('an own action that calls super runs each time, and its answer has a tag of its own', async () => {
    const { tag } = await get('/api/supers/1');
    const calls = Number(world['superCalls']);
    expect((await get('/api/supers/1', tag)).status).to.equal(304);
    expect(world['superCalls']).to.equal(calls + 1);
    world['mood'] = 'gay';
    const changed = await get('/api/supers/1', tag);
    expect([changed.status, changed.json.meta.mood]).to.deep.equal([200, 'gay']);
    const written = await send('PUT', '/api/supers/1', { body: { data: { title: 'b' } }, headers: ifMatch(changed.tag) });
    expect([written.status, /^"/.test(written.tag)]).to.deep.equal([200, true]);
    const late = await send('PUT', '/api/supers/1', { body: { data: { title: 'c' } }, headers: ifMatch(changed.tag) });
    expect(late.status).to.equal(412);
  });

  it('a policy decides before the tag', async () => {
    const { tag } = await get('/api/guardeds');
    expect((await get('/api/guardeds', tag)).status).to.equal(304);
    world['isShut'] = true;
    expect((await get('/api/guardeds', tag)).status).to.equal(403);
  });

  it('an own service answers with a weak tag, and honours no precondition', async () => {
    const { tag } = await get('/api/serveds/1');
    expect(tag).to.match(/^W\//);
    expect((await get('/api/serveds/1', tag)).status).to.equal(304);
    const refused = await send('PUT', '/api/serveds/1', { body: { data: { title: 'b' } }, headers: ifMatch('*') });
    expect([refused.status, refused.json.error.message]).to.deep.equal([400, 'If-Match is not supported by this request']);
  });

  it('an own action has no tag', async () => {
    expect((await get('/api/alones')).headers).to.not.have.property('etag');
    expect((await get('/api/alones', '"x"')).status).to.equal(200);
  });

  it('a hook of reads runs each time, and the version is that of the stored entry', async () => {
    const { tag } = await get('/api/heards/1');
    expect((await get('/api/heards/1', tag)).status).to.equal(304);
    world['heardTitle'] = 'other';
    const changed = await get('/api/heards/1', tag);
    expect([changed.status, changed.json.data.attributes.title]).to.deep.equal([200, 'other']);
    expect(changed.tag.split('-')[0]).to.equal(tag.split('-')[0]);
  });

  it('a refused precondition runs no hook', async () => {
    const { tag } = await get('/api/heards/1');
    const put = (title: string): Promise<Tagged> =>
      send('PUT', '/api/heards/1', { body: { data: { title } }, headers: ifMatch(tag) });
    expect([(await put('b')).status, world['updates']]).to.deep.equal([200, 1]);
    expect([(await put('c')).status, world['updates']]).to.deep.equal([412, 1]);
  });

  it('hooks that are added later are heard', async () => {
    const { tag } = await get('/api/plains/1');
    expect((await get('/api/plains/1', tag)).status).to.equal(304);
    const end = serving.strapi.db.lifecycles.subscribe({
      models: ['api::plain.plain'],
      afterFindOne: ({ result }: { result: { title: string } }) => void (result.title = 'heard'),
    });
    const heard = await get('/api/plains/1', tag);
    expect(heard.json.data.attributes.title).to.equal('heard');
    end();
    expect((await get('/api/plains/1', heard.tag)).status).to.equal(200);
  });
});

describe('conditional requests and middlewares of a project', () => {
  it('run around each answer', async () => {
    const serving = await serveProject(
      {
        'config/middlewares.js': `module.exports = ['strapi::errors', 'strapi::body', 'global::mark'];`,
        'src/middlewares/mark.js': `let count = 0; module.exports = () => async (ctx, next) => {
          await next();
          if (ctx.path.startsWith('/api/plains')) ctx.body.meta.count = globalThis.isCounting ? ++count : 0;
        };`,
      },
      { models: [model('plain')] },
    );
    const send = sendTo(serving);
    try {
      await send('POST', '/api/plains', { body: { data: { title: 'a' } } });
      await serving.settled();
      const { tag } = await send('GET', '/api/plains/1');
      expect((await send('GET', '/api/plains/1', unless(tag))).status).to.equal(304);
      Reflect.set(globalThis, 'isCounting', true);
      const counted = await send('GET', '/api/plains/1', unless(tag));
      expect([counted.status, counted.json.meta.count]).to.deep.equal([200, 1]);
    } finally {
      await serving.stop();
    }
  });
});
