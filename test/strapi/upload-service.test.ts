import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { openAdministrators } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const place = { folder: { name: 'Mine' }, folderPath: '/1' };
const top = { folder: null, folderPath: '/' };

type Strapi = ServedProject['strapi'];

const file = (name = 'a.txt') => ({ name, type: 'text/plain', buffer: Buffer.from('text') });

const upload = (strapi: Strapi, fileInfo?: unknown): Promise<readonly { readonly id: number }[]> =>
  strapi.plugin('upload').service('upload').upload({ data: { fileInfo }, files: file() });

/** Calls of the service of uploads, and where the file is then. */
const calls: readonly (readonly [
  name: string,
  call: (strapi: Strapi) => Promise<{ readonly id: number } | undefined>,
  where: object,
])[] = [
  ['upload without a folder', async (s) => (await upload(s))[0], top],
  ['upload into the top', async (s) => (await upload(s, { folder: null }))[0], top],
  ['upload into a folder', async (s) => (await upload(s, { folder: 1 }))[0], place],
  ['upload into a folder by a list', async (s) => (await upload(s, [{ folder: '1' }]))[0], place],
  [
    'updateFileInfo with a folder',
    async (s) =>
      s
        .plugin('upload')
        .service('upload')
        .updateFileInfo((await upload(s))[0]?.id, { folder: 1 }),
    place,
  ],
  [
    'updateFileInfo to the top',
    async (s) =>
      s
        .plugin('upload')
        .service('upload')
        .updateFileInfo((await upload(s, { folder: 1 }))[0]?.id, { folder: null }),
    top,
  ],
  [
    'updateFileInfo without a folder',
    async (s) =>
      s
        .plugin('upload')
        .service('upload')
        .updateFileInfo((await upload(s, { folder: 1 }))[0]?.id, { caption: 'c' }),
    place,
  ],
  [
    'uploadFileAndPersist',
    async (s) =>
      s
        .plugin('upload')
        .service('upload')
        .uploadFileAndPersist({ ...file(), folder: 1 }),
    place,
  ],
  [
    'enhanceAndValidateFile and uploadFileAndPersist',
    async (s) => {
      const path = join(tmpdir(), 'mangrove-upload-service.txt');
      await writeFile(path, 'text');
      const service = s.plugin('upload').service('upload');
      const entity = await service.enhanceAndValidateFile({ name: 'b.txt', type: 'text/plain', size: 4, path }, { folder: 1 });
      return service.uploadFileAndPersist(entity);
    },
    place,
  ],
];

const part = {
  uid: 'page.part',
  info: { displayName: 'Part' },
  attributes: { text: { type: 'string' }, picture: { type: 'media', multiple: false } },
};

const page = {
  uid: 'api::page.page',
  kind: 'collectionType',
  info: { singularName: 'page', pluralName: 'pages' },
  attributes: { parts: { type: 'component', component: 'page.part', repeatable: true }, cover: { type: 'media' } },
};

describe('the service of uploads', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    serving = await serveProject({}, { models: [part, page], config: { admin: { enabled: true } }, logger: log.logger });
    await openAdministrators(serving, {});
    await serving.strapi.plugin('upload').service('folder').create({ name: 'Mine', parent: null });
  });
  after(() => serving.stop());

  for (const [name, call, where] of calls)
    it(`places a file: ${name}`, async () => {
      const id = (await call(serving.strapi))?.id;
      const found = await serving.strapi.entityService.findOne('plugin::upload.file', id, { populate: ['folder'] });
      const folder = found.folder && { name: found.folder.name };
      expect({ folder, folderPath: found.folderPath }).to.deep.equal(where);
    });

  it('refuses a folder that does not exist', async () => {
    const error: unknown = await upload(serving.strapi, { folder: 99 }).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'the folder does not exist');
  });

  it('refuses information about a file that is no object', async () => {
    const error: unknown = await upload(serving.strapi, 'my picture').catch((caught: unknown) => caught);
    expect(error).to.have.property('name', 'ValidationError');
  });

  for (const [name, folder] of Object.entries({ 'without a name': {}, 'with a name that is taken': { name: 'Mine' } }))
    it(`refuses a folder ${name}`, async () => {
      const folders = serving.strapi.plugin('upload').service('folder');
      const error: unknown = await folders.create(folder).catch((caught: unknown) => caught);
      expect(error).to.have.property('name', 'ValidationError');
    });

  const absent = join(tmpdir(), 'no-such-folder', 'a.txt');
  const failing = {
    'that does not exist': () => ({ path: absent, name: 'a.txt', type: 'text/plain' }),
    'of a stream that fails': () => ({ name: 'a.txt', type: 'text/plain', stream: createReadStream(absent) }),
  };
  for (const [name, describe] of Object.entries(failing))
    it(`refuses a file ${name}`, async () => {
      const service = serving.strapi.plugin('upload').service('upload');
      const error: unknown = await service.upload({ data: {}, files: describe() }).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'ENOENT');
    });

  it('adds and changes the entry of a file that is stored elsewhere', async () => {
    const service = serving.strapi.plugin('upload').service('upload');
    const about = { name: 'far.txt', hash: 'far', ext: '.txt', mime: 'text/plain', size: 1 };
    const { id } = await service.add(
      { ...about, url: 'https://files.example.org/far.txt', provider: 'far' },
      { user: { id: 1 } },
    );
    await service.update(id, { caption: 'far away' });
    const found = await serving.strapi.query('plugin::upload.file').findOne({ where: { id }, populate: ['createdBy'] });
    expect(found).to.include({ name: 'far.txt', caption: 'far away', url: 'https://files.example.org/far.txt' });
    expect(found.createdBy.id).to.equal(1);
  });

  it('describes a file that is not stored', async () => {
    const service = serving.strapi.plugin('upload').service('upload');
    const info = await service.formatFileInfo(
      { filename: 'a b.txt', type: 'text/plain', size: 2_345 },
      { folder: 1, caption: 'c' },
    );
    expect(info).to.include({
      name: 'a b.txt',
      caption: 'c',
      folder: 1,
      folderPath: '/1',
      ext: '.txt',
      mime: 'text/plain',
      size: 2.35,
    });
    expect(info.hash).to.match(/^a_b_/);
  });

  it('stores the administrator who uploads', async () => {
    const service = serving.strapi.plugin('upload').service('upload');
    const [{ id }] = await service.upload({ data: {}, files: file() }, { user: { id: 1 } });
    const found = await serving.strapi.entityService.findOne('plugin::upload.file', id, { populate: ['createdBy'] });
    expect(found.createdBy.id).to.equal(1);
    const error: unknown = await service
      .upload({ data: {}, files: file() }, { user: { id: 99 } })
      .catch((caught: unknown) => caught);
    expect(error).to.have.property('name', 'ValidationError');
  });

  for (const user of [{}, null, { id: null }])
    it(`stores no administrator if the user is ${JSON.stringify(user)}`, async () => {
      const service = serving.strapi.plugin('upload').service('upload');
      const [{ id }] = await service.upload({ data: {}, files: file() }, { user });
      expect(await service.updateFileInfo(id, { caption: 'c' }, { user })).to.include({ caption: 'c' });
      const found = await serving.strapi.query('plugin::upload.file').findOne({ where: { id }, populate: ['updatedBy'] });
      expect(found.updatedBy).to.equal(null);
    });

  it('has the folders of the media library', async () => {
    const folders = serving.strapi.plugin('upload').service('folder');
    const { id, path } = await folders.create({ name: 'Below', parent: 1 });
    expect(path).to.equal('/1/2');
    expect(await folders.exists({ name: 'Below', parent: 1 })).to.equal(true);
    expect(await folders.getStructure()).to.deep.equal([
      { id: 1, name: 'Mine', children: [{ id, name: 'Below', children: [] }] },
    ]);
    const [stored] = await upload(serving.strapi, { folder: id });
    expect(await folders.deleteByIds([id])).to.include({ totalFolderNumber: 1, totalFileNumber: 1 });
    expect(await serving.strapi.entityService.findOne('plugin::upload.file', stored?.id)).to.equal(null);
    const own = await serving.strapi.plugin('upload').service('api-upload-folder').getAPIUploadFolder();
    expect(own.name).to.equal('API Uploads');
  });

  it('links the files of an entry in its components, and says what is not linked from the side of a file', async () => {
    const { entityService } = serving.strapi;
    const data = { parts: [{ text: 'a' }, { text: 'b' }] };
    const made = await entityService.create('api::page.page', { data, files: { 'parts.1.picture': file('in.txt') } });
    const populate = { parts: { populate: ['picture'] } };
    const { parts } = await entityService.findOne('api::page.page', made.id, { populate });
    expect(parts.map((part: { readonly picture: { name: string } | null }) => part.picture?.name)).to.deep.equal([
      undefined,
      'in.txt',
    ]);
    const related = [{ id: made.id, __type: 'api::page.page', __pivot: { field: 'cover' } }];
    await serving.strapi.query('plugin::upload.file').update({ where: { id: parts[1].picture.id }, data: { related } });
    expect(log.lines.map(({ msg }) => String(msg)).join()).to.include('related of plugin::upload.file is not stored');
  });
});
