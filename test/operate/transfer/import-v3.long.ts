import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { hashSync } from 'bcrypt';
import { type Document, ObjectId } from 'mongodb';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import type { Source } from '#operate/transfer/source.js';
import { openV3 } from '#operate/transfer/strapi-v3/open-v3.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { cutShort, importAll, inFresh } from './importing.js';

const names = [
  ...['ann', 'editor', 'grant', 'denied', 'ada', 'bo', 'salt', 'sel', 'wind', 'sea', 'air', 'pic', 'small', 'front', 'en', 'fr'],
  ...['seo', 'quote', 'inner', 'badge', 'gone', 'mail'],
  ...['root', 'amy', 'super', 'writers', 'reads', 'docs'],
] as const;
const id = Object.fromEntries(
  names.map((name, index) => [name, new ObjectId((index + 1).toString(16).padStart(24, '0'))]),
) as Record<(typeof names)[number], ObjectId>; // all names

const file = { via: 'related', plugin: 'upload' };
const model = (uid: string, collectionName: string, attributes: object, more: object = {}) => ({
  uid,
  collectionName,
  attributes,
  info: { name: uid },
  ...more,
});
const models = [
  model(
    'application::blog.story',
    'stories',
    {
      title: { type: 'string' },
      writer: { model: 'writer', via: 'stories' },
      topics: { collection: 'topic', via: 'stories', dominant: true },
      similar: { collection: 'story' },
      editor: { model: 'user', plugin: 'users-permissions' },
      cover: { model: 'file', ...file },
      pictures: { collection: 'file', ...file },
      seo: { type: 'component', component: 'parts.seo', repeatable: false },
      blocks: { type: 'dynamiczone', components: ['parts.seo', 'parts.quote'] },
      about: { model: '*', filter: 'field' },
      published_at: { type: 'datetime' },
      localizations: { collection: 'story' },
      locale: { type: 'string' },
    },
    { options: { draftAndPublish: true, timestamps: ['made_at', 'changed_at'] }, pluginOptions: { i18n: { localized: true } } },
  ),
  model('application::writer.writer', 'writers', {
    name: { type: 'string', required: true },
    stories: { collection: 'story', via: 'writer' },
    badge: { model: 'badge', via: 'owner' },
  }),
  model('application::badge.badge', 'badges', { code: { type: 'string' }, owner: { model: 'writer', via: 'badge' } }),
  model('application::topic.topic', 'topics', { name: { type: 'string' }, stories: { collection: 'story', via: 'topics' } }),
  model('application::front.front', 'front', { line: { type: 'text' } }, { kind: 'singleType' }),
  model('parts.seo', 'components_parts_seos', {
    title: { type: 'string' },
    inner: { type: 'component', component: 'parts.quote', repeatable: true },
  }),
  model('parts.quote', 'components_parts_quotes', { text: { type: 'text' }, by: { model: 'writer' } }),
  model('plugins::upload.file', 'upload_file', {
    ...Object.fromEntries(['name', 'hash', 'ext', 'mime', 'url', 'provider'].map((name) => [name, { type: 'string' }])),
    size: { type: 'decimal' },
    formats: { type: 'json' },
    related: { collection: '*', filter: 'field' },
  }),
  model('plugins::users-permissions.user', 'users-permissions_user', {
    ...Object.fromEntries(['username', 'email', 'provider'].map((name) => [name, { type: 'string' }])),
    password: { type: 'password' },
    confirmed: { type: 'boolean' },
    role: { model: 'role', via: 'users', plugin: 'users-permissions' },
  }),
  model('plugins::users-permissions.role', 'users-permissions_role', {
    name: { type: 'string' },
    type: { type: 'string' },
    users: { collection: 'user', via: 'role', plugin: 'users-permissions' },
    permissions: { collection: 'permission', via: 'role', plugin: 'users-permissions' },
  }),
  model('plugins::users-permissions.permission', 'users-permissions_permission', {
    type: { type: 'string' },
    role: { model: 'role', via: 'permissions', plugin: 'users-permissions' },
  }),
  model('plugins::i18n.locale', 'i18n_locales', { name: { type: 'string' }, code: { type: 'string' } }),
  model('strapi::user', 'strapi_administrator', { email: { type: 'string' } }),
];

const lateSeo = new ObjectId();
const part = (kind: string, ref: ObjectId) => ({ _id: new ObjectId(), kind, ref });
const view = {
  uid: 'application::blog.story',
  settings: { pageSize: 20, mainField: 'title', defaultSortBy: 'title', defaultSortOrder: 'ASC' },
  metadatas: {
    title: { edit: { label: 'Headline', visible: true }, list: { label: 'Headline' } },
    writer: { edit: { label: 'By', mainField: 'name' }, list: { label: 'By' } },
  },
  layouts: { list: ['_id', 'title', 'published_at'], edit: [[{ name: 'title', size: 12 }]], editRelations: ['writer'] },
};
const password = hashSync('Passw0rd', 4);
const administrator = (_id: ObjectId, name: string, more: object) => ({
  _id,
  ...{ firstname: name, email: `${name}@mail.test`, isActive: true, password },
  ...{ createdAt: new Date('2020-01-01'), updatedAt: new Date('2020-01-01') },
  ...more,
});
const documents: Readonly<Record<string, readonly Document[]>> = {
  strapi_administrator: [
    administrator(id.root, 'root', { roles: [id.super] }),
    administrator(id.amy, 'amy', { roles: [id.writers] }),
  ],
  strapi_role: [
    { _id: id.super, name: 'Super Admin', code: 'strapi-super-admin' },
    { _id: id.writers, name: 'Writers', code: 'writers-k2x' },
  ],
  strapi_permission: [
    {
      _id: id.reads,
      ...{ action: 'plugins::content-manager.explorer.read', subject: 'application::blog.story', fields: ['title'] },
      ...{ conditions: ['admin::is-creator'], role: id.writers },
    },
    { _id: id.docs, action: 'plugins::documentation.read', subject: null, properties: {}, conditions: [], role: id.writers },
  ],
  core_store: [
    ...models.map((definition) => ({ key: `model_def_${definition.uid}`, value: JSON.stringify(definition) })),
    { key: 'plugin_i18n_default_locale', value: '"fr"' },
    { key: 'plugin_content_manager_configuration_content_types::application::blog.story', value: JSON.stringify(view) },
    { key: 'plugin_users-permissions_advanced', value: JSON.stringify({ allow_register: false }) },
  ],
  stories: [
    {
      _id: id.salt,
      title: 'Salt',
      writer: id.ada,
      topics: [id.sea, id.air, id.gone],
      similar: [id.wind],
      editor: id.ann,
      cover: id.pic,
      pictures: [id.pic],
      seo: [part('ComponentPartsSeo', id.seo)],
      blocks: [part('ComponentPartsQuote', id.quote), part('ComponentPartsSeo', id.gone)],
      about: { kind: 'Topic', ref: id.air, field: 'x' },
      created_by: id.amy,
      updated_by: id.gone,
      published_at: new Date('2021-01-01T00:00:00Z'),
      made_at: new Date('2020-01-01T00:00:00Z'),
      locale: 'en',
      localizations: [id.sel],
    },
    { _id: id.sel, title: 'Sel', locale: 'fr', localizations: [id.salt], published_at: null },
    { _id: id.wind, title: 'Wind', locale: 'en', writer: id.ada, published_at: null },
  ],
  writers: [
    { _id: id.ada, name: 'Ada', badge: id.badge },
    { _id: id.bo, name: 'Bo' },
  ],
  badges: [{ _id: id.badge, code: 'x', owner: id.ada }],
  topics: [
    { _id: id.sea, name: 'sea' },
    { _id: id.air, name: 'air' },
  ],
  front: [{ _id: id.front, line: 'hello' }],
  components_parts_seos: [{ _id: id.seo, title: 'S', inner: [part('ComponentPartsQuote', id.inner)] }],
  components_parts_quotes: [
    { _id: id.quote, text: 'q', by: id.bo },
    { _id: id.inner, text: 'i' },
  ],
  upload_file: [
    {
      _id: id.pic,
      ...{ name: 'sea', hash: 'sea_1', ext: '.png', mime: 'image/png', url: '/uploads/sea_1.png', provider: 'local', size: 1.5 },
      formats: { thumbnail: { hash: 'thumbnail_sea_1', ext: '.png', url: '/uploads/thumbnail_sea_1.png' } },
      related: [{ ref: id.salt, kind: 'Story', field: 'cover' }],
    },
  ],
  'users-permissions_role': [{ _id: id.editor, name: 'Editor', type: 'editor' }],
  'users-permissions_user': [
    {
      _id: id.ann,
      username: 'ann',
      email: 'ann@mail.test',
      provider: 'local',
      password: hashSync('Passw0rd', 4),
      confirmed: true,
      role: id.editor,
    },
  ],
  'users-permissions_permission': [
    { _id: id.grant, type: 'application', controller: 'story', action: 'findone', enabled: true, role: id.editor },
    { _id: id.denied, type: 'application', controller: 'story', action: 'create', enabled: false, role: id.editor },
    { _id: id.mail, type: 'email', controller: 'email', action: 'send', enabled: true, role: id.editor },
  ],
  i18n_locales: [
    { _id: id.en, code: 'en', name: 'English' },
    { _id: id.fr, code: 'fr', name: 'French' },
  ],
};

describe('npx mangrove import of the MongoDB of Strapi v3', () => {
  let directory: string;
  let source: FreshDatabase;
  let serving: Serving;
  let result: CliResult;
  const run = (...args: readonly string[]) => runCli('import', args, { directory, env: { MONGODB_URI: serving.database.uri } });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-v3-'));
    await mkdir(join(directory, 'old/public/uploads'), { recursive: true });
    await writeFile(join(directory, 'secret'), 'a secret');
    await writeFile(join(directory, 'old/public/uploads/sea_1.png'), 'the bytes');
    await symlink(join(directory, 'secret'), join(directory, 'old/public/uploads/thumbnail_sea_1.png'));
    source = await freshDatabase();
    for (const [name, rows] of Object.entries(documents)) await source.db.collection(name).insertMany([...rows]);
    serving = await serveModels({ models: [] });
    const dry = await run(source.uri, '--dry-run');
    expect(dry.stdout)
      .to.match(/^administrators +2$/m)
      .and.match(/^roles of administrators +2$/m);
    expect(dry.stdout).to.include('writers-k2x plugin::documentation.read').and.not.include('e-mail');
    expect(dry.stderr).to.include('root@mail.test has all rights').and.not.include('amy');
    expect(await serving.database.db.collection('_imported_ids').countDocuments()).to.equal(0);
    result = await run(source.uri, '--project', 'old');
    await serving.settled();
  });
  after(async () => {
    await serving.stop();
    await source.drop();
    await rm(directory, { recursive: true });
  });
  const get = async (path: string): Promise<Document> => (await serving.call('GET', path)).body as Document;

  it('asks for the password of a user that the address names', async () => {
    const address = source.uri.replace('//', '//ann@');
    const env = { MONGODB_URI: serving.database.uri };
    const nothing = await runCli('import', [address, '--dry-run'], { directory, env, input: '' });
    expect([nothing.exitCode, nothing.stderr]).to.deep.equal([
      1,
      'the password of ann was not given: set MANGROVE_IMPORT_PASSWORD',
    ]);
    for (const input of [{ env, input: 'p@ss\n' }, { env: { ...env, MANGROVE_IMPORT_PASSWORD: 'p@ss' } }])
      expect((await runCli('import', [address, '--dry-run'], { directory, ...input })).stderr).to.match(/Authentication failed/);
  });

  it('imports entries with relations, components, zones, files and locales', async () => {
    expect(result.exitCode, result.stderr).to.equal(2);
    const { data } = await get(
      '/api/stories/1?populate[seo][populate]=*&populate[blocks][populate]=*&populate[topics]=*&populate[writer]=*&populate[cover]=*&populate[pictures]=*&populate[similar]=*&populate[editor]=*&populate[about]=*&populate[localizations]=*',
    );
    const { attributes } = data as { readonly attributes: Document };
    expect(attributes).to.deep.include({
      title: 'Salt',
      createdAt: '2020-01-01T00:00:00.000Z',
      publishedAt: '2021-01-01T00:00:00.000Z',
      locale: 'en',
    });
    const related = ['topics', 'similar', 'pictures', 'localizations'].map((name) =>
      attributes[name].data.map((one: Document) => one['id'] as number),
    );
    expect(related).to.deep.equal([[1, 2], [3], [1], [2]]);
    expect(['writer', 'cover', 'editor'].map((name) => attributes[name].data.id as number)).to.deep.equal([1, 1, 1]);
    expect(attributes['seo']).to.deep.include({ id: 1, title: 'S' });
    expect(attributes['seo'].inner).to.deep.equal([{ id: 2, text: 'i' }]);
    expect(attributes['blocks'].map((block: Document) => [block['__component'], block['by'].data.id])).to.deep.equal([
      ['parts.quote', 2],
    ]);
  });

  it('imports the other sides, single types and drafts', async () => {
    const writer = await get('/api/writers/1?publicationState=preview&populate=*');
    expect(writer['data'].attributes.stories.data.map((story: Document) => story['id'] as number)).to.deep.equal([1, 3]);
    expect(writer['data'].attributes.badge.data.id).to.equal(1);
    expect((await get('/api/front'))['data'].attributes.line).to.equal('hello');
    expect((await get('/api/stories?locale=all'))['data']).to.have.lengthOf(1);
  });

  it('imports users, roles, rights and settings', async () => {
    const login = await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: 'Passw0rd' });
    expect(login.status).to.equal(200);
    const grants = await serving.database.db.collection('up_permissions').find().toArray();
    expect(grants.map(({ action, role }) => [action, role] as unknown)).to.deep.equal([['api::blog.story.findOne', 1]]);
    expect((await get('/api/i18n/locales')).map((locale: Document) => locale['isDefault'] as boolean)).to.deep.equal([
      false,
      true,
    ]);
  });

  it('imports administrators with their rights, views, and who created entries', async () => {
    const { db } = serving.database;
    const people = await db.collection('admin_users').find().sort({ _id: 1 }).toArray();
    expect(people.map(({ email, roles }) => [email, roles] as unknown)).to.deep.equal([
      ['root@mail.test', [1]],
      ['amy@mail.test', [4]],
    ]);
    const story = await db.collection<{ _id: number }>('stories').findOne({ _id: 1 });
    expect(story).to.include({ createdBy: 2 }).and.not.have.property('updatedBy');
    const send = async (path: string, token = '', body?: object): Promise<Document> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${serving.server.url}${path}`, init)).json()) as Document;
    };
    const { data } = await send('/admin/login', '', { email: 'amy@mail.test', password: 'Passw0rd' });
    const token = String(data.token);
    const { results } = await send('/content-manager/collection-types/api::blog.story?locale=en', token);
    expect(results.map((row: Document) => [row['title'], row['createdBy'].firstname])).to.deep.equal([['Salt', 'amy']]);
    const { contentType } = (await send('/content-manager/content-types/api::blog.story/configuration', token))['data'];
    expect(contentType.layouts.list).to.deep.equal(['title']);
    expect(contentType.layouts.edit.slice(0, 2)).to.deep.equal([[{ name: 'title', size: 12 }], [{ name: 'writer', size: 6 }]]);
    expect(result.stdout).to.not.match(/a view names/);
  });

  it('imports the files of the project, and follows no link', async () => {
    const [picture] = (await get('/api/upload/files')) as unknown as readonly Document[];
    const load = (url: unknown) => fetch(`${serving.server.url}${String(url)}`);
    expect(await (await load(picture?.['url'])).text()).to.equal('the bytes');
    expect((await load(picture?.['formats'].thumbnail.url)).status).to.equal(404);
    expect(result.stdout)
      .to.match(/the source has no bytes of a file \(thumbnail_sea_1.png\)/)
      .and.match(/plugin::email.permission/);
  });

  it('keeps the map of ids', async () => {
    const kept = await serving.database.db
      .collection<{ _id: string }>('_imported_ids')
      .findOne({ _id: `stories:${id.wind.toHexString()}` });
    expect(kept).to.deep.include({ source: id.wind.toHexString(), number: 3 });
  });

  it('leaves out entries created since the import started, and continues after the last stored entry', async () => {
    await inFresh(async (context) => {
      const opened = await openV3({ uri: source.uri, project: null, database: context.store.database });
      let changed = false;
      const changing = async function* (...[stages, ...reading]: Parameters<Source['read']>) {
        if (stages.includes('links') && stages.length === 1 && !changed) {
          changed = true;
          await source.db.collection('stories').insertOne({ title: 'Late', locale: 'en', seo: [] });
          await source.db.collection('components_parts_seos').insertOne({ _id: lateSeo, title: 'late' });
          const seo = [part('ComponentPartsSeo', lateSeo)];
          await source.db.collection('stories').updateOne({ _id: id.wind }, { $set: { seo } });
        }
        yield* opened.read(stages, ...reading);
      };
      const prepared = await prepareImport(opened, context);
      const cut = { ...prepared, source: cutShort({ ...opened, read: changing }, 'entities', 12) };
      expect(await runImport(cut, context, { replace: true }).catch(String)).to.equal('Error: cut short');
      await source.db.collection('badges').deleteMany({});
      const { shortcomings } = await runImport(await prepareImport(opened, context), context, { replace: true });
      await opened.close();
      const stories = await context.store.database.db.collection('stories').find().sort({ _id: 1 }).toArray();
      expect(stories.map(({ title, seo }) => [title, (seo as Document | null)?.['title']] as unknown)).to.deep.equal([
        ['Salt', 'S'],
        ['Sel', undefined],
        ['Wind', undefined],
      ]);
      expect([...shortcomings.keys()]).to.include.members([
        'a document was created after the import began',
        'a component was created after the import began',
        'a link leads to a document that does not exist',
        'the source has changed since the import began',
      ]);
      expect(await context.store.database.db.collection('up_users').countDocuments()).to.equal(1);
    });
  });

  it('takes the models of the project if the database has none', async () => {
    const bare = await freshDatabase();
    for (const [name, rows] of Object.entries(documents))
      await bare.db.collection(name).insertMany(rows.filter(({ key }) => !String(key).startsWith('model_def_')));
    const project = join(directory, 'bare');
    for (const definition of models) await writeDefinition(project, definition);
    const bring = (uri: string, folder: string | null) =>
      inFresh(async (context) => {
        const opened = await openV3({ uri, project: folder, database: context.store.database });
        await importAll(opened, context, true);
        await opened.close();
      });
    const contents = (found: ReadonlyMap<string, unknown>) =>
      [...found].filter(
        ([name]) => !['_imported_ids', '_models', 'admin_users', 'admin_roles', 'admin_permissions'].includes(name),
      ); // with times
    const whole = await freshDatabase();
    for (const [name, rows] of Object.entries(documents)) await whole.db.collection(name).insertMany([...rows]);
    expect(contents(await bring(bare.uri, project))).to.deep.equal(contents(await bring(whole.uri, null)));
    await writeFile(join(project, 'components/parts/seo.json'), '{');
    expect(await bring(bare.uri, project).catch(String)).to.match(/seo.json cannot be read/);
    await bare.drop();
    await whole.drop();
  });

  it('says that a database holds no project', async () => {
    expect((await run(serving.database.uri)).stderr).to.match(/has no models of Strapi v3: set the folder/);
  });

  it('leaves no connection to a database whose settings it cannot read', async () => {
    const { uri, db, client, drop } = await freshDatabase();
    await db.collection('core_store').insertOne({ key: 'model_def_deep', value: '['.repeat(200) });
    expect(await openV3({ uri, project: null, database: databaseOf({ db, client }) }).catch(String)).to.match(/nested deeper/);
    const connections = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: 'mangrove-import' } }];
    const open = () => client.db('admin').aggregate(connections).toArray();
    for (let left = 100; left > 0 && (await open()).length > 0; left -= 1) await delay(20); // until the server has noticed
    expect(await open()).to.deep.equal([]);
    await drop();
  });
});

/** Writes a model as a project of Strapi v3 has it; the plugins are not installed there. */
async function writeDefinition(project: string, { uid, ...definition }: Document): Promise<void> {
  const [, kind, owner = '', name = ''] = /^(?:(application|plugins|strapi)::)?([^.]+)(?:\.(.+))?$/.exec(String(uid)) ?? [];
  if (kind === 'plugins' || kind === 'strapi') return;
  const file = kind === undefined ? `components/${owner}/${name}.json` : `api/${owner}/models/${name}.settings.json`;
  await mkdir(dirname(join(project, file)), { recursive: true });
  await writeFile(join(project, file), JSON.stringify(definition));
}
