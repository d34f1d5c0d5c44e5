import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { ChangeBus } from '#store/changes/changes.js';
import { connectDatabase } from '#store/send/connection.js';
import { pollChanges } from '#store/changes/poll-changes.js';
import { hasCode } from '#base/errors.js';
import { createStore } from '#store/store.js';
import { entryStore } from '#store/write/write-entries.js';
import { packArchive } from '../../support/pack-archive.js';
import { runCli } from '../../support/run-cli.js';
import { sampleArchive } from '../../support/sample-archive.js';
import { serveModels, type Serving } from '../../support/serve.js';

describe('npx mangrove import of an archive', () => {
  let directory: string;
  let file: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-import-'));
    file = join(directory, 'export.tar.gz.enc');
    await packArchive(file, sampleArchive, 'a key');
    await writeFile(join(directory, 'key'), 'a key\n');
  });
  after(() => rm(directory, { recursive: true }));

  describe('into a service that runs', () => {
    let serving: Serving;
    let printed: string;
    const run = (...args: readonly string[]) =>
      runCli('import', [file, ...args], { directory, env: { MONGODB_URI: serving.database.uri } });
    before(async () => {
      serving = await serveModels({ models: [] });
      const dry = await run('--key-file', 'key', '--dry-run');
      expect(dry.stdout)
        .to.match(/model +api::story.story +new/)
        .and.match(/skipped +plugin::menus.menu/);
      expect(await serving.database.db.collection('_imports').countDocuments()).to.equal(0);
      const { stdout, stderr, exitCode } = await run('--key-file', 'key');
      expect(exitCode, stderr).to.equal(2);
      printed = stdout;
      await serving.settled();
    });
    after(() => serving.stop());

    const get = async (path: string): Promise<Document> => (await serving.call('GET', path)).body as Document;

    it('imports values, components, dates, drafts and the order of relations', async () => {
      const { data } = await get(
        '/api/storys/10?populate[pictures]=*&populate[topics]=*&populate[seo]=*&populate[blocks][populate]=*&populate[localizations]=*',
      );
      const { attributes } = data as { readonly attributes: Document };
      expect(attributes).to.deep.include({ title: 'Salt', big: '9007199254740993', when: '2024-05-05T10:00:00.000Z' });
      expect(attributes).to.deep.include({
        createdAt: '2024-01-01T00:00:00.000Z',
        updatedAt: '2024-01-02T00:00:00.000Z',
        locale: 'en',
      });
      expect(ids(attributes['pictures'])).to.deep.equal([1, 2]);
      expect(ids(attributes['topics'])).to.deep.equal([2, 1]);
      expect(ids(attributes['localizations'])).to.deep.equal([11]);
      expect(attributes['seo']).to.deep.equal({ id: 21, title: 'S' });
      expect(attributes['blocks'][0].by.data.id).to.equal(4);
      expect(attributes['blocks'][1].image.data.id).to.equal(1);
    });

    it('lists what a file is linked to in the order of the archive', async () => {
      const linked: Document | null = await serving.database.db.collection<{ _id: number }>('storys').findOne({ _id: 10 });
      expect(linked?.['_ranks']).to.include.keys('cover', 'pictures', 'blocks');
      const { related } = await get('/api/upload/files/1?populate=related');
      expect(related.map(({ __type, id }: Document) => `${String(__type)} ${String(id)}`)).to.deep.equal([
        'api::story.story 10',
        'api::story.story 10',
        'parts.seo 22',
      ]);
    });

    it('stores the trigrams of imported entries', async () => {
      const stored = await serving.database.db.collection<{ _id: number }>('storys').findOne({ _id: 10 });
      expect(stored).to.deep.include({ _trigrams: { title: ['sal', 'alt'] } });
    });

    it('imports relations seen from the other side, in their order', async () => {
      const { data } = await get('/api/writers/1?populate=stories&locale=en');
      expect(ids((data as Document)['attributes'].stories)).to.deep.equal([12, 10]);
      const topics = await get('/api/topics?publicationState=preview&populate[stories]=*&populate[notes]=*&sort=id');
      expect(topics['data'].map((topic: Document) => ids(topic['attributes'].stories))).to.deep.equal([[12, 10], [10]]);
      expect(ids(topics['data'][1].attributes.notes)).to.deep.equal([12]);
    });

    it('imports localizations, single types and drafts', async () => {
      const all = await get('/api/storys?locale=all&publicationState=preview&sort=id&populate=localizations');
      expect(all['data'].map((story: Document) => ids(story['attributes'].localizations))).to.deep.equal([[11], [10], []]);
      expect(ids(await get('/api/storys?locale=all'))).to.deep.equal([10, 12]);
      expect((await get('/api/front'))['data'].attributes.line).to.equal('hello');
    });

    it('imports files with their variants; those without bytes keep their address', async () => {
      const [sea, far] = (await get('/api/upload/files?sort=id')) as unknown as readonly Document[];
      expect(sea?.['provider']).to.equal('local');
      const answer = await fetch(`${serving.server.url}${String(sea?.['url'])}`);
      expect(await answer.text()).to.equal('the bytes of a picture');
      const small = await fetch(`${serving.server.url}${String(sea?.['formats'].thumbnail.url)}`);
      expect(await small.text()).to.equal('small');
      expect(far?.['url']).to.equal('https://cdn.test/far_2.png');
    });

    it('imports users with passwords and roles, rights and settings', async () => {
      const login = await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: 'Passw0rd' });
      expect(login.status).to.equal(200);
      expect(login.body.user).to.deep.include({ id: 3, motto: 'on' });
      const reset = { code: 'a-code', password: 'Passw1rd', passwordConfirmation: 'Passw1rd' };
      expect((await serving.call('POST', '/api/auth/reset-password', reset)).status).to.equal(200);
      const other = { username: 'bob', email: 'bob@mail.test', password: 'Passw0rd' };
      expect((await serving.call('POST', '/api/auth/local/register', other)).status).to.equal(400);
      const roles = await serving.database.db.collection('up_roles').find().sort({ _id: 1 }).toArray();
      expect(roles.map((role) => role['_rules'] as unknown)).to.deep.equal([undefined, undefined, editorRules]);
      const locales = await get('/api/i18n/locales');
      expect(locales.map((locale: Document) => [locale['code'], locale['isDefault']])).to.deep.equal([
        ['en', false],
        ['fr', true],
      ]);
    });

    it('gives new entries ids above those of imported ones', async () => {
      const { body } = await serving.call('POST', '/api/storys', { data: { title: 'new', seo: { title: 'x' } } });
      expect(body.data.id).to.equal(13);
      const stored = await serving.database.db.collection('storys').findOne({ title: 'new' });
      expect(stored?.['seo'].id).to.equal(23);
    });

    it('gives entries another id if theirs is taken', async () => {
      const { db } = serving.database;
      for (const [name, data] of [
        ['storys', { title: 'mine' }],
        ['writers', { name: 'Cy', stories: [10] }],
      ] as const) {
        const create = async () => (await serving.call('POST', `/api/${name}`, { data })).body.data.id as number;
        const first = await create();
        await db.collection<Document & { _id: number }>(name).insertOne({ _id: first + 1, title: 'theirs', name: 'theirs' });
        await db.collection(name).updateOne({ _id: first as never }, { $set: { name: 'Di' } });
        expect(await create()).to.be.greaterThan(first + 1);
        expect(await db.collection<Document & { _id: number }>(name).findOne({ _id: first + 1 })).to.include({ name: 'theirs' });
        await db.collection<Document & { _id: number }>(name).deleteMany({ _id: { $gte: first } });
      }
    });

    it('leaves a document alone whose id another one has', async () => {
      const database = await connectDatabase(serving.database.uri, serving.server.config.database, { collections: [] });
      const store = createStore(database);
      const document = { _id: 1, big: 2 ** 40, when: new Date(0), none: null, left: undefined, list: [{ a: 1.5 }] };
      await entryStore.insert(store, 'doubles', document);
      const refused: unknown = await entryStore
        .insert(store, 'doubles', { ...document, list: [] })
        .catch((error: unknown) => error);
      expect(hasCode(refused, 'id-taken')).to.equal(true);
      expect(await database.db.collection('doubles').countDocuments({ 'list.a': 1.5 })).to.equal(1);
      await database.db.dropCollection('doubles');
      await database.client.close();
    });

    it('is noticed by a service that polls', async () => {
      const { config } = serving.server;
      const database = await connectDatabase(serving.database.uri, config.database, { collections: [] });
      const changes = new ChangeBus();
      let heard = 0;
      changes.onChange(['_imports'], () => heard++);
      const poll = pollChanges(database, changes, null);
      await poll();
      await poll();
      expect(heard).to.equal(1);
      await serving.database.db.collection('_imports').updateMany({}, { $currentDate: { aliveAt: true } });
      await poll();
      expect(heard).to.equal(2);
      await database.client.close();
    });

    it('reports what it could not import', () => {
      for (const line of [
        /not imported +1 +a value does not fit its type datetime \(api::story.story:12 when\)/,
        /a component is not among the models \(parts.gone\)/,
        /entries of plugin::menus.menu are not imported: the plugin is not offered/,
        /an administrator is not imported: they have no password yet; invite them again \(root@mail.test\)/,
        /the administrator in createdBy is not imported \(api::story.story:10 to admin::user:1\)/,
        /api::story.story has no relation nothing/,
        /no entry of the media library has it \(nobodys.png\)/,
        /the source has no bytes of a file \(far_2.png\)/,
        /the provider github is switched on, but logs nobody in: it needs key and secret \(github\)/,
      ])
        expect(printed).to.match(line);
    });

    it('writes the import into the log of changes, without the key, and leaves nothing behind', async () => {
      const { db } = serving.database;
      const [record] = await db.collection('_audit').find().toArray();
      expect(record).to.deep.include({ what: 'import', changed: true });
      expect(JSON.stringify(record)).to.not.contain('a key');
      const names = (await db.listCollections().toArray()).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('_import_'))).to.deep.equal([]);
    });

    for (const words of [['--key', 'a key'], ['--key=a key'], ['mongodb://ann:a-key@127.0.0.1/x']])
      it(`takes no secret from the command line: ${words.join(' ')}`, async () => {
        const { stderr, exitCode } = await run(...words);
        expect(exitCode).to.equal(1);
        expect(stderr)
          .to.match(/^a (key|password) is not taken from the command line; .*MANGROVE_IMPORT_/)
          .and.not.contain('a-key');
      });

    it('refuses to overwrite entries, and replaces them with --replace', async () => {
      const refused = await run('--key-file=key');
      expect(refused).to.deep.include({ exitCode: 1 });
      expect(refused.stderr).to.match(/these collections have entries: .*storys.*--replace/);
      expect((await run('--key-file=key', '--replace')).exitCode).to.equal(2);
      await serving.settled();
      expect(ids(await get('/api/storys?locale=all'))).to.deep.equal([10, 12]);
      const stored = await serving.database.db
        .collection('uploads.files')
        .find({ filename: { $ne: null } })
        .toArray();
      expect(stored.map(({ filename }) => String(filename)).sort()).to.deep.equal(['sea_1.png', 'thumbnail_sea_1.png']);
    });

    it('prints its usage, and what is wrong with the arguments', async () => {
      for (const [args, reason] of [
        [['--abandon', 'x'], '--abandon has no SOURCE'],
        [['x', 'y'], 'y is one word too many'],
        [[], 'SOURCE is missing'],
      ] as const) {
        const { stderr } = await runCli('import', args, { directory, env: { MONGODB_URI: serving.database.uri } });
        expect(stderr).to.include(`${reason}\n\nusage`);
      }
    });
  });
});

const editorRules = { fields: {}, rows: { 'api::story.story': { title: { $eq: 'Salt' } } } };

const ids = (list: Document): number[] => (list['data'] as Document[]).map(({ id }) => Number(id));
