import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { createLog, type Log } from '../support/create-log.js';
import { createServer } from '#index.js';
import { freshDatabase } from '../support/mongo.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import { writeProject, type ProjectFiles } from '../support/write-project.js';
import { storeModels, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object, rest: object = {}): TestModel =>
  collectionType(name, { text: { type: 'string' }, ...attributes }, { options: { draftAndPublish: false }, ...rest });

const models = [
  model('note', {
    secret: { type: 'string' },
    gone: { type: 'string' },
    part: { type: 'component', component: 'shared.part' },
  }),
  model('draft', {}),
  { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { code: { type: 'string' } } },
];

const menu = {
  kind: 'collectionType',
  collectionName: 'menus',
  info: { singularName: 'menu', pluralName: 'menus', displayName: 'Menu' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' } },
};

const note = "strapi.contentType('api::note.note')";
const types = "strapi.container.get('content-types')";

/** Ways to add an attribute to notes, by the attribute. */
const ways: Readonly<Record<string, string>> = {
  a1: `${note}.attributes.a1 = text;`,
  a2: "strapi.contentTypes['api::note.note'].attributes.a2 = text;",
  a3: "Object.values(strapi.contentTypes).forEach(({ uid, attributes }) => { if (uid === 'api::note.note') attributes.a3 = text; });",
  a4: "Object.assign(strapi.getModel('api::note.note').attributes, { a4: text });",
  a5: 'strapi.api.note.contentTypes.note.attributes.a5 = text;',
  a6: `${types}.get('api::note.note').attributes.a6 = text;`,
  a7: `${types}.extend('api::note.note', (type) => ({ ...type, attributes: { ...type.attributes, a7: text } }));`,
  a8: `{ const type = ${note}; type.attributes = { ...type.attributes, a8: text }; }`,
  a9: `${types}.set('api::note.note', { ...${note}, attributes: { ...${note}.attributes, a9: text } });`,
};

const hear = (name: string): string => `({ params }) => { params.data.text += ' ${name}'; }`;

const files: ProjectFiles = {
  'config/plugins.js': "module.exports = { tool: { resolve: './src/plugins/tool' } };",
  'src/plugins/tool/strapi-server.js': `module.exports = { contentTypes: { menu: { schema: ${JSON.stringify(menu)} } },
    register({ strapi }) {
      ${note}.attributes.ofPlugin = { type: 'string' };
      strapi.plugin('tool').contentTypes.menu.attributes.slug = { type: 'string' };
      strapi.contentType('plugin::users-permissions.user').attributes.nickname = { type: 'string' };
      strapi.plugin('users-permissions').contentType('user').attributes.username.minLength = 5;
      throw new Error('later'); } };`,
  'src/api/note/content-types/note/lifecycles.js': `module.exports = { beforeCreate: ${hear('file')}, beforeUpdate: ${hear('file')} };`,
  'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
    plugin.contentTypes.user.schema.attributes.city = { type: 'string' };
    return plugin; };`,
  'src/index.js': `module.exports = {
    register({ strapi }) {
      globalThis.projectStrapi = strapi;
      const text = { type: 'string', default: 'more' };
      ${Object.values(ways).join('\n')}
      const type = ${note};
      type.attributes.secret.private = true;
      type.attributes.createdAt.private = true;
      delete type.attributes.gone;
      type.info.displayName = 'Changed';
      type.pluginOptions = { tool: { on: true } };
      type.lifecycles.afterCreate = ({ result }) => { globalThis.createdNote = result.text; };
      const { beforeUpdate } = type.lifecycles;
      type.lifecycles.beforeUpdate = (event) => { beforeUpdate(event); event.params.data.text += ' wrapped'; };
      const draft = strapi.contentTypes['api::draft.draft'];
      draft.options.draftAndPublish = true;
      draft.lifecycles = { beforeCreate: ${hear('assigned')} };
      strapi.components['shared.part'].attributes.size = { type: 'integer' };
      strapi.components['shared.box'] = { collectionName: 'boxes', info: { displayName: 'Box' }, attributes: { width: { type: 'integer' } } };
      type.attributes.box = { type: 'component', component: 'shared.box' };
      ${types}.add('api::tag', { tag: { schema: { kind: 'collectionType', collectionName: 'tags', options: { draftAndPublish: false },
        info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' }, attributes: { name: { type: 'string' } } },
        lifecycles: { beforeCreate({ params }) { params.data.name += '!'; } } } });
    },
    bootstrap({ strapi }) {
      strapi.contentType('api::draft.draft').lifecycles.beforeUpdate = ${hear('late')};
      ${note}.attributes.late = { type: 'string' };
      ${note}.attributes.text.private = true;
    },
  };`,
};

describe('Models that code changes in register', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    serving = await serveProject(files, { models, logger: log.logger });
  });
  after(() => serving.stop());

  const create = async (path: string, data: object) => (await serving.call('POST', `/api/${path}`, { data })).body;

  it('have attributes that are stored and served, in whatever way code adds them', async () => {
    const names = [...Object.keys(ways), 'ofPlugin'];
    const given = Object.fromEntries(names.map((name) => [name, `given ${name}`]));
    expect((await create('notes', { text: 'a', ...given })).data.attributes).to.include(given);
    for (const name of names) {
      const { body } = await serving.call('GET', `/api/notes?filters[${name}]=given ${name}`);
      expect(body.data, name).to.have.length(1);
    }
    expect((await create('notes', { text: 'b' })).data.attributes).to.include({ a1: 'more', a9: 'more' });
    const { body } = await serving.call('POST', '/graphql', {
      query: '{ notes(sort: "id", pagination: { limit: 1 }) { data { attributes { a1 } } } }',
    });
    expect(body.data.notes.data).to.deep.equal([{ attributes: { a1: 'given a1' } }]);
  });

  it('have other rules, and lack attributes that code has removed', async () => {
    const { data } = await create('notes', { text: 'c', secret: 'hidden' });
    expect(data.attributes).not.to.have.any.keys('secret', 'createdAt', 'gone');
    expect(data.attributes).to.have.property('updatedAt');
    expect(await create('drafts', { text: 'a', publishedAt: null })).to.have.nested.property('data.attributes.publishedAt', null);
    const { strapi } = serving;
    expect(strapi.contentType('api::note.note')).to.deep.include({ pluginOptions: { tool: { on: true } } });
    expect(strapi.contentType('api::note.note').info.displayName).to.equal('Changed');
    expect(strapi.contentType('api::draft.draft').options.draftAndPublish).to.equal(true);
  });

  it('may be components, types of plugins and new ones', async () => {
    const { data } = await create('notes?populate=*', { text: 'd', part: { size: 3 }, box: { width: 4 } });
    expect(data.attributes.part).to.include({ size: 3 });
    expect(data.attributes.box).to.include({ width: 4 });
    expect((await create('tags', { name: 'new' })).data.attributes).to.include({ name: 'new!' });
    const { strapi } = serving;
    expect(await strapi.entityService.create('plugin::tool.menu', { data: { slug: 's' } })).to.include({ slug: 's' });
  });

  it('may be those of the service', async () => {
    const user = { username: 'maya5', email: 'maya@example.org', password: 'Tide-Pool-7', nickname: 'M', city: 'Rome' };
    const created = await serving.strapi.entityService.create('plugin::users-permissions.user', { data: user });
    expect(created).to.include({ nickname: 'M', city: 'Rome' });
    const short = { username: 'may', email: 'may@example.org', password: 'Tide-Pool-7' };
    const answer = await serving.call('POST', '/api/auth/local/register', short);
    expect(answer.body.error.message).to.contain('username');
  });

  it('run the lifecycles that code gives them, beside those of files, also later', async () => {
    const { data } = await create('notes', { text: 'e' });
    expect(data.attributes.text).to.equal('e file');
    expect(globalThis).to.have.property('createdNote', 'e file');
    const updated = await serving.call('PUT', `/api/notes/${String(data.id)}`, { data: { text: 'f' } });
    expect(updated.body.data.attributes.text).to.equal('f file wrapped');
    const draft = await create('drafts', { text: 'g' });
    expect(draft.data.attributes.text).to.equal('g assigned');
    const { strapi } = serving;
    const change = () => strapi.entityService.update('api::draft.draft', draft.data.id, { data: { text: 'h' } });
    expect((await change()).text).to.equal('h late');
    strapi.db.metadata.get('api::draft.draft').lifecycles = {};
    expect((await change()).text).to.equal('h');
  });

  it('tell that changes after register have no effect, and the error of a plugin', async () => {
    expect((await create('notes', { text: 'i' })).data.attributes.text).to.equal('i file');
    for (const text of [
      'attributes.late is changed after register',
      'attributes.text.private is changed after register',
      'register: later',
    ])
      expect(
        log.lines.some(({ msg }) => String(msg).includes(text)),
        text,
      ).to.equal(true);
    const late = (code: (types: { add: (uid: string, types: object) => void }) => void) => () =>
      code(serving.strapi.container.get('content-types'));
    expect(late((registry) => registry.add('api::x', {}))).not.to.throw();
    expect(late((registry) => registry.add('api::x', { x: {} }))).to.throw('in register');
  });
});

const invalid = "strapi.contentType('api::draft.draft').attributes.bad = { required: 'yes' };";
const valid = "strapi.contentType('api::draft.draft').attributes.good = { type: 'string' };";
const reason = 'api::draft.draft: attributes.bad';

describe('Invalid models of register', () => {
  const plugin = (code: string): ProjectFiles => ({
    'config/plugins.js': "module.exports = { tool: { resolve: './src/plugins/tool' } };",
    'src/plugins/tool/strapi-server.js': `module.exports = { register({ strapi }) { ${code} } };`,
  });

  it('of a plugin are named and undone', async () => {
    const log = await createLog();
    const code = `${valid} globalThis.kept = 1; ${invalid}`;
    const index = { 'src/index.js': `module.exports = { register({ strapi }) { ${valid} } };` };
    const serving = await serveProject({ ...plugin(code), ...index }, { models, logger: log.logger });
    const answer = await serving.call('POST', '/api/drafts', { data: { text: 'a', good: 'b' } });
    await serving.stop();
    expect(answer.body.data.attributes).to.include({ text: 'a', good: 'b' });
    const texts = log.lines.map(({ msg }) => String(msg)).filter((text) => text.includes(reason));
    expect(texts).to.have.length(1);
    expect(texts[0]).to.match(/^src\/plugins\/tool\/strapi-server\.js, register: /);
  });

  it('of src/index stop the start', async () => {
    const index = { 'src/index.js': `module.exports = { register({ strapi }) { ${invalid} } };` };
    const database = await freshDatabase();
    await storeModels(database, models);
    const config = { database: { uri: database.uri }, server: { port: 0 } };
    const server = await createServer({ config, project: await writeProject(index) });
    const failed = await server.start().catch(String);
    await server.stop();
    await database.drop();
    expect(failed).to.contain(`src/index.js, register: ${reason}`);
  });
});

describe('Lists of models that register extends', () => {
  const listed = [
    model('task', {
      state: { type: 'enumeration', enum: ['open'] },
      parts: { type: 'dynamiczone', components: ['shared.part'] },
      file: { type: 'media', multiple: true, allowedTypes: ['images'] },
      tags: { type: 'json', default: ['a', 'a'], pluginOptions: { tool: { names: ['a'] } } },
    }),
    { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { code: { type: 'string' } } },
    { uid: 'shared.box', info: { displayName: 'Box' }, attributes: { code: { type: 'string' } } },
  ];
  const code = `const { attributes, options } = strapi.contentType('api::task.task');
    attributes.state.enum.push('archived');
    attributes.parts.components.unshift('shared.box');
    attributes.file.allowedTypes = attributes.file.allowedTypes.concat('videos');
    attributes.tags.pluginOptions.tool.names.push('b');
    (options.privateAttributes ??= []).push('createdAt');`;
  const index = { 'src/index.js': `module.exports = { register({ strapi }) { ${code} } };` };

  it('stay the same at further starts', async () => {
    const database = await freshDatabase();
    const stored = () => database.db.collection<{ _id: string }>('_models').findOne({ _id: 'api::task.task' });
    await (await serveProject(index, { models: listed, database })).stop();
    const first = await stored();
    const again = await serveProject(index, { models: [], database });
    const answer = await again.call('POST', '/api/tasks', { data: { state: 'archived' } });
    await again.stop();
    const second = await stored();
    await database.drop();
    expect(answer.body.data.attributes).to.deep.include({ state: 'archived', tags: ['a', 'a'] });
    expect(first).to.have.nested.property('attributes.state.enum').that.deep.equals(['open', 'archived']);
    expect(first).to.have.nested.property('attributes.parts.components').that.deep.equals(['shared.box', 'shared.part']);
    expect(first).to.have.nested.property('attributes.file.allowedTypes').that.deep.equals(['images', 'videos']);
    expect(first).to.have.nested.property('attributes.tags.pluginOptions.tool.names').that.deep.equals(['a', 'b']);
    expect(first).to.have.nested.property('attributes.tags.default').that.deep.equals(['a', 'a']);
    expect(second).to.deep.equal(first);
  });
});
