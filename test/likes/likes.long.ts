import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { features } from '#features.js';
import { placeOf } from '#operate/backup/place.js';
import { prepareRestore, restoreBackup } from '#operate/backup/restore-backup.js';
import { verifyBackup } from '#operate/backup/verify-backup.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { runChecks } from '#operate/doctor/checks.js';
import { readContext } from '#operate/doctor/read-context.js';
import { collections as ownCollections } from '#model/schema/collections.js';
import { sectionsWith } from '#settings/sections.js';
import { connectDatabase } from '#store/send/connection.js';
import { collectionType as model } from '../support/collection-type.js';
import { freshDatabase } from '../support/mongo.js';
import { type Answer, serveModels, type Serving, storeModels } from '../support/serve.js';
import { likesFeature } from './feature.js';

const all = [...features, likesFeature];
const token = 'an-admin-token-of-more-than-32-characters';
const string = { type: 'string' };
const options = { likes: { most: 3 } };
const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };
const storageOf = (): never => {
  throw new Error('there are no files');
};

describe('a feature that takes part in everything', function () {
  this.timeout(60_000);
  let serving: Serving;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-likes-'));
    const titles = [1, 2, 3].map((_id) => ({ _id, title: String(_id) }));
    serving = await serveModels({
      models: [model('article', { title: string }, { options }), model('page', { title: string })],
      documents: { articles: titles, pages: titles },
      config: { api: { open: false, likes: { sweepEvery: 100 } }, admin: { token } },
      features: all,
    });
  });
  after(async () => {
    await serving.stop();
    await rm(folder, { recursive: true });
  });

  const admin = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(`${serving.server.url}${path}`, init)).json();
  };
  const like = (plural: string, id: number) => serving.call('POST', `/api/${plural}/${String(id)}/like`);
  const stored = () =>
    serving.database.db
      .collection('_likes')
      .find({}, { projection: { _id: 0 } })
      .sort({ of: 1 })
      .toArray();

  it('has an action for each type that has its option, which roles can be granted', async () => {
    const permissions = (await admin('GET', '/admin/api/permissions')).data;
    expect(permissions).to.include('api::article.article.like').and.not.include('api::page.page.like');
    expect((await like('articles', 1)).status).to.equal(403);
    const { data: roles } = await admin('GET', '/admin/api/roles');
    const { id } = roles.find(({ type }: { readonly type: string }) => type === 'public');
    const tree = 'plugin::users-permissions.permissions.getPermissions';
    await admin('PUT', `/admin/api/roles/${String(id)}`, { actions: ['api::article.article.like', tree] });
    await serving.settled();
    const { body } = await serving.call('GET', '/api/users-permissions/permissions');
    expect(Object.keys(body.permissions['api::article'].controllers.article)).to.include('like');
    expect(Object.keys(body.permissions['api::page'].controllers.page)).to.not.include('like');
  });

  it('answers requests for each of these types, within the bounds of its option and its setting', async () => {
    for (const likes of [1, 2, 3]) expect(await like('articles', 1)).to.deep.equal({ status: 200, body: { likes } });
    expect((await like('articles', 1)).body.error.message).to.equal('it has enough likes');
    expect((await like('articles', 2)).body).to.deep.equal({ likes: 1 });
    expect((await like('articles', 9)).status).to.equal(404);
    expect((await like('pages', 1)).status).to.equal(405);
    const document = await admin('GET', '/api/openapi.json');
    expect(document.paths['/api/articles/{id}/like'].post).to.include({ operationId: 'likearticle' });
    expect(document.paths).to.not.have.property('/api/pages/{id}/like');
  });

  it('has models checked by the schema of its option', async () => {
    const wrong = { ...model('page', { title: string }), options: { likes: { most: 0 } } };
    const { error } = await admin('PUT', '/admin/api/models/api::page.page', wrong);
    expect(error.message).to.equal('options.likes.most must be >= 1');
  });

  it('sweeps in the background', async () => {
    await serving.database.db.collection('_likes').insertOne({ uid: 'api::article.article', of: 8, count: 1 });
    for (const end = Date.now() + 10_000; (await stored()).length > 2 && Date.now() < end;) await serving.settled();
    expect((await stored()).map(({ of }) => of as unknown)).to.deep.equal([1, 2]);
  });

  it('has its rows follow the rename of a type, with the rights', async () => {
    const renamed = model(
      'post',
      { title: string },
      { options, renamedFrom: 'api::article.article', collectionName: 'articles' },
    );
    await storeModels(serving.database, [renamed]);
    await serving.settled();
    const backend = serving.server.backend ?? expect.fail('no database');
    while (backend.models.renames.moving().size > 0) await backend.models.load();
    const uid = 'api::post.post';
    expect(await stored()).to.deep.equal([
      { uid, of: 1, count: 3 },
      { uid, of: 2, count: 1 },
    ]);
    expect(await like('posts', 2)).to.deep.equal({ status: 200, body: { likes: 2 } });
  });

  it('is checked by the doctor', async () => {
    await mkdir(join(folder, 'config'));
    await writeFile(join(folder, 'config/database.json'), JSON.stringify({ uri: serving.database.uri }));
    const check = async () => {
      const context = await readContext({ directory: folder, sections: sectionsWith(all), features: all });
      return runChecks(context).filter(({ name }) => name === 'likes');
    };
    const fine = { name: 'likes', state: 'ok', text: 'all likes are of types that exist', remedy: null };
    expect(await check()).to.deep.equal([fine]);
    await serving.database.db.collection('_likes').insertOne({ uid: 'api::gone.gone', of: 1, count: 1 });
    const text = 'api::gone.gone have likes, and no model';
    expect(await check()).to.deep.equal([{ name: 'likes', state: 'advice', text, remedy: 'store their models again' }]);
    await serving.database.db.collection('_likes').deleteOne({ uid: 'api::gone.gone' });
  });

  it('has its rows in backups, and none of its traces', async () => {
    const { store } = serving.server.backend ?? expect.fail('no database');
    const place = placeOf(join(folder, 'all.gz'), serving.server.config.plugins.upload.config);
    await writeBackup(place, { database: store.database, storageOf, progress: silent });
    const target = await freshDatabase();
    const collections = likesFeature.collections ?? [];
    const database = await connectDatabase(target.uri, serving.server.config.database, { collections });
    const context = { database, storageOf, progress: silent };
    const backup = await verifyBackup(place, context);
    const restore = async () => restoreBackup(await prepareRestore({ place, backup, conflict: 'fail' }, context), context);
    await target.db.collection('_likes_swept').insertOne({ at: new Date(0) });
    await target.db.collection('_likes').insertOne({ uid: 'api::post.post', of: 7, count: 1 });
    expect(await restore().catch(String)).to.match(/the database has content \(_likes\)/);
    await target.db.collection('_likes').deleteMany({});
    await restore();
    const found = await target.db
      .collection('_likes')
      .find({}, { projection: { _id: 0 } })
      .sort({ of: 1 })
      .toArray();
    expect(found).to.deep.equal(await stored());
    expect(await target.db.collection('_likes').indexExists('entry')).to.equal(true);
    expect(await target.db.collection('_likes_swept').countDocuments()).to.equal(1);
    await database.client.close();
    await target.drop();
  });

  it('has its rights end with the type, so that a later one of the same uid has none', async () => {
    const granted = () =>
      serving.database.db.collection(ownCollections.permissions).countDocuments({ action: 'api::post.post.like' });
    expect(await granted()).to.equal(1);
    await admin('DELETE', '/admin/api/models/api::post.post');
    expect(await granted()).to.equal(0);
  });
});
