import { expect } from 'chai';
import { serveMedia, type MediaServer } from './serve-media.js';

const text = { name: 'note.txt', type: 'text/plain', bytes: 'under the mangroves' };

describe('media/upload', () => {
  let media: MediaServer;
  before(async () => {
    media = await serveMedia({
      config: { sizeLimit: 100_000, filesLimit: 3, fieldsLimit: 4, deniedTypes: ['application/x-msdownload', 'video/*'] },
    });
  });
  after(() => media.stop());

  it('answers a bare list, in the form of Strapi v4', async () => {
    const { status, body } = await media.upload([text], { fileInfo: '{"alternativeText":"alt","caption":"cap"}' });
    expect(status).to.equal(200);
    const [{ hash, createdAt, updatedAt, id, ...file }] = body;
    expect(hash).to.match(/^note_[0-9a-f]{10}$/);
    expect([typeof id, createdAt]).to.deep.equal(['number', updatedAt]);
    expect(file).to.deep.equal({
      name: 'note.txt',
      alternativeText: 'alt',
      caption: 'cap',
      width: null,
      height: null,
      formats: null,
      ext: '.txt',
      mime: 'text/plain',
      size: 0.02,
      url: `/uploads/${hash}.txt`,
      previewUrl: null,
      provider: 'local',
      provider_metadata: null,
    });
    const stored = await media.database.db.collection('files').findOne({ _id: id });
    const folder = await media.database.db.collection('upload_folders').findOne({ name: 'API Uploads' });
    expect([stored?.folder, stored?.folderPath]).to.deep.equal([folder?._id, folder?.path]);
  });

  const names: readonly (readonly [sent: string, stored: string | 'refused'])[] = [
    ['Ünïcode näme.txt', 'Ünïcode näme.txt'],
    ['evil\u202etxt.html', 'eviltxt.html'],
    ['../../etc/passwd', 'refused'],
    ['/etc/passwd', 'refused'],
    ['a:b.txt', 'refused'],
    ['CON', 'refused'],
    ['..', 'refused'],
    ['a\u0000b.txt', 'refused'],
  ];
  for (const [sent, stored] of names)
    it(`the name ${JSON.stringify(sent)} is ${stored === 'refused' ? stored : `stored as ${stored}`}`, async () => {
      const { status, body } = await media.upload([{ ...text, name: sent }]);
      if (stored === 'refused')
        expect([status, body.error?.message]).to.deep.equal([400, 'File name contains invalid characters']);
      else expect(body[0]?.name).to.equal(stored.normalize());
    });

  it('cuts long names and keeps their extension', async () => {
    const { body } = await media.upload([{ ...text, name: `${'n'.repeat(5000)}.txt` }]);
    expect(body[0].name).to.match(/^n{196}\.txt$/);
    expect(body[0].hash.length).to.be.below(120);
  });

  it('takes the name and the hash from fileInfo', async () => {
    const { body } = await media.upload([text], { fileInfo: '{"name":"Low tide: day 1/2"}' });
    expect(body[0].name).to.equal('Low tide: day 1/2');
    expect(body[0].hash).to.match(/^Low_tide_day_1_2_[0-9a-f]{10}$/);
  });

  it('takes several files with a list of information', async () => {
    const { body } = await media.upload([text, { ...text, name: 'b.txt' }], {
      fileInfo: '[{"caption":"one"},{"caption":"two"}]',
    });
    expect(body.map(({ name, caption }: { name: string; caption: string }) => [name, caption])).to.deep.equal([
      ['note.txt', 'one'],
      ['b.txt', 'two'],
    ]);
  });

  const refused: readonly (readonly [
    string,
    () => Promise<{ status: number; body: { error?: { name: string; message: string } } }>,
    number,
    string,
  ])[] = [
    ['no file', () => media.upload([], { a: 'b' }), 400, 'Files are empty'],
    [
      'a file in another field',
      () => media.upload([{ ...text, field: 'file' }]),
      400,
      'Files are empty: upload them in the field "files", not "file"',
    ],
    ['an empty file alone', () => media.upload([{ ...text, bytes: '' }]), 400, 'Files are empty'],
    [
      'a file over the limit',
      () => media.upload([{ ...text, name: 'big.bin', bytes: 'x'.repeat(100_001) }]),
      413,
      'big.bin exceeds size limit of 100 kB.',
    ],
    ['too many files', () => media.upload([text, text, text, text]), 413, 'More than 3 files'],
    ['too many fields', () => media.upload([text], { a: '', b: '', c: '', d: '', e: '' }), 413, 'More than 4 fields'],
    [
      'fields of too many bytes',
      () => media.upload([text], { a: 'x'.repeat(1_048_577) }),
      413,
      'Fields of more than 1048576 bytes',
    ],
    [
      'a type on the deny list',
      () => media.upload([{ name: 'x.avi', type: 'video/x-msvideo', bytes: 'x' }]),
      400,
      'Files of type video/x-msvideo are not allowed',
    ],
    [
      'a program, whatever it says it is',
      () => media.upload([{ name: 'x.png', type: 'image/png', bytes: program() }]),
      400,
      'Files of type application/x-msdownload are not allowed',
    ],
    [
      'a name on the deny list, whatever type it says it is',
      () => media.upload([{ name: 'x.avi', type: 'text/plain', bytes: 'x' }]),
      400,
      'Files of type video/x-msvideo are not allowed',
    ],
    [
      'fileInfo that is no JSON',
      () => media.upload([text], { fileInfo: 'no' }),
      400,
      'fileInfo must be a `object` type, but the final value was: `null` (cast from the value `"no"`).',
    ],
    [
      'fileInfo of one file that is a list',
      () => media.upload([text], { fileInfo: '[{"name":"a"}]' }),
      400,
      'fileInfo must be a `object` type, but the final value was: `null` (cast from the value `"[{"name":"a"}]"`).',
    ],
    [
      'fileInfo of two files that is no list',
      () => media.upload([text, text], { fileInfo: '{"name":"a"}' }),
      400,
      'fileInfo must be a `array` type, but the final value was: `null` (cast from the value `"{"name":"a"}"`).',
    ],
    [
      'fileInfo of 100,000 levels',
      () => media.upload([text], { fileInfo: '{"name":'.repeat(100_000) + '1' + '}'.repeat(100_000) }),
      400,
      'fileInfo is nested deeper than 64 levels',
    ],
    [
      'operators in fileInfo',
      () => media.upload([text], { fileInfo: '{"name":{"$gt":""}}' }),
      400,
      'fileInfo.name must be a `string` type',
    ],
    [
      'an unknown type in ref',
      () => media.upload([text], { ref: '__proto__', refId: '1', field: 'x' }),
      400,
      'Invalid parameter ref',
    ],
    ['replacing nothing', () => media.upload([text], {}, 'POST /api/upload?id=999'), 404, 'Entity not found'],
    [
      'information about nothing',
      () => media.send('POST', '/api/upload?id=abc', { fileInfo: { name: 'x' } }),
      404,
      'Entity not found',
    ],
    [
      'replacing by two',
      () => media.upload([text, text], {}, 'POST /api/upload?id=1'),
      400,
      'Cannot replace a file with multiple ones',
    ],
    ['finding nothing', () => media.send('GET', '/api/upload/files/999'), 404, 'file.notFound'],
    ['deleting nothing', () => media.send('DELETE', '/api/upload/files/abc'), 404, 'file.notFound'],
  ];
  for (const [title, act, status, message] of refused)
    it(`refuses ${title}, and leaves nothing behind`, async () => {
      const before = await media.stored();
      const answer = await act();
      expect([answer.status, answer.body.error?.message]).to.satisfy(
        ([code, text]: [number, string]) => code === status && text.startsWith(message),
        JSON.stringify(answer.body),
      );
      expect(await media.stored()).to.deep.equal(before);
    });

  it('changes information, keeps what is null or not named, and clears by an empty text', async () => {
    const [file] = (await media.upload([text], { fileInfo: '{"caption":"cap","alternativeText":"alt"}' })).body;
    const fileInfo = '{"name":"New","caption":"","alternativeText":null}';
    const { body } = await media.upload([], { fileInfo }, `POST /api/upload?id=${file.id}`);
    expect(body).to.deep.include({ id: file.id, name: 'New', caption: '', alternativeText: 'alt', url: file.url });
  });

  it('replaces the content of a file at its address', async () => {
    const [file] = (await media.upload([text])).body;
    const { status, body } = await media.upload(
      [{ name: 'other.txt', type: 'text/plain', bytes: 'now with more words' }],
      {},
      `POST /api/upload?id=${file.id}`,
    );
    expect(status).to.equal(200);
    expect(body).to.deep.include({ id: file.id, name: 'other.txt', hash: file.hash, ext: file.ext, url: file.url, formats: {} });
    expect((await media.send('GET', file.url)).body).to.equal('now with more words');
    expect((await media.stored()).pending).to.equal(0);
  });

  it('links files that come one by one in their order, behind the first of a list that was written otherwise', async () => {
    const { body } = await media.send('POST', '/api/stories', { data: { title: 't' } });
    const refId = String(body.data.id);
    const link = async (): Promise<number> =>
      (await media.upload([text], { ref: 'api::story.story', refId, field: 'gallery' })).body[0].id;
    const shown = async (): Promise<number[]> =>
      (await media.send('GET', `/api/stories/${refId}?populate=gallery`)).body.data.attributes.gallery.data.map(
        ({ id }: { id: number }) => id,
      );
    const [first, second, third] = [await link(), await link(), await link()];
    expect(await shown()).to.deep.equal([first, second, third]);
    await media.send('PUT', `/api/stories/${refId}`, { data: { gallery: [third, first] } });
    const [fourth, fifth] = [await link(), await link()];
    expect(await shown()).to.deep.equal([third, fourth, fifth, first]);
  });

  it('lists with filters, sort, fields, start and limit, and without a limit all', async () => {
    const all = (await media.send('GET', '/api/upload/files?sort=id')).body as { id: number; name: string }[];
    expect(all.length).to.equal(await media.database.db.collection('files').countDocuments());
    const some = await media.send('GET', '/api/upload/files?sort=id&start=1&limit=2&fields=name&pagination[pageSize]=1');
    expect(some.body).to.deep.equal(all.slice(1, 3).map(({ id, name }) => ({ id, name })));
    const [one, whole] = await Promise.all(['1', '0'].map((limit) => media.send('GET', `/api/upload/files?limit=${limit}`)));
    expect([one?.body.length, whole?.body.length]).to.deep.equal([1, all.length]);
    const paged = await media.send('GET', '/api/upload/files?page=2&pageSize=1');
    expect(paged.body).to.have.length(all.length);
    expect((await media.send('GET', '/api/upload/files?page=1&limit=1')).body.error.name).to.equal('PaginationError');
    const named = await media.send('GET', '/api/upload/files?filters[name][$eq]=other.txt');
    expect(named.body).to.have.length(1);
    expect((await media.send('GET', '/api/upload/files?filters[folderPath][$eq]=x')).status).to.equal(400);
  });

  it('deletes a file, its bytes, and its links', async () => {
    const [file] = (await media.upload([text])).body;
    const story = await media.send('POST', '/api/stories', {
      data: {
        title: 't',
        cover: file.id,
        gallery: [file.id],
        shot: { image: file.id },
        blocks: [{ __component: 'shared.shot', image: file.id }],
      },
    });
    const { status, body } = await media.send('DELETE', `/api/upload/files/${file.id}`);
    expect([status, body]).to.deep.equal([200, file]);
    expect((await media.send('GET', file.url)).status).to.equal(404);
    const populate = 'populate[cover]=*&populate[gallery]=*&populate[shot][populate]=*&populate[blocks][populate]=*';
    const { attributes } = (await media.send('GET', `/api/stories/${story.body.data.id}?${populate}`)).body.data;
    expect([
      attributes.cover.data,
      attributes.gallery.data,
      attributes.shot.image.data,
      attributes.blocks[0].image.data,
    ]).to.deep.equal([null, null, null, null]);
    expect((await media.stored()).names).not.to.include(`${file.hash}${file.ext}`);
  });

  it('answers other methods like Strapi v4', async () => {
    const { status, headers } = await media.send('PUT', '/api/upload/files/1', {});
    expect([status, headers.get('allow')]).to.deep.equal([405, 'HEAD, GET, DELETE']);
    expect((await media.send('GET', '/api/upload')).status).to.equal(404);
  });
});

/** The beginning of a program for Windows. */
const program = (): Buffer => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
