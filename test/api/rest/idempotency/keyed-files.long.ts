import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serveMedia, type Answered, type MediaServer } from '../../../media/serve-media.js';
import { drawNoise } from '../../../media/draw.js';

interface FilesCase {
  readonly name: string;
  readonly method?: 'POST' | 'PUT';
  readonly path: (ids: Ids) => string;
  readonly field: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** New entries of files. */
  readonly adds: number;
}

interface Ids {
  readonly file: number;
  readonly story: number;
}

const operations = JSON.stringify({
  query: 'mutation ($file: Upload!) { upload(file: $file) { data { id attributes { name url } } } }',
  variables: { file: null },
});

const cases: readonly FilesCase[] = [
  { name: 'an upload', path: () => '/api/upload', field: 'files', adds: 1 },
  { name: 'the replacement of a file', path: ({ file }) => `/api/upload?id=${String(file)}`, field: 'files', adds: 0 },
  {
    name: 'a create with a file',
    path: () => '/api/stories?populate=*',
    field: 'files.cover',
    fields: { data: '{"title":"t"}' },
    adds: 1,
  },
  {
    name: 'an update with a file',
    method: 'PUT',
    path: ({ story }) => `/api/stories/${String(story)}?populate=*`,
    field: 'files.cover',
    fields: { data: '{"title":"t"}' },
    adds: 1,
  },
  {
    name: 'a mutation with a file',
    path: () => '/graphql',
    field: '0',
    fields: { operations, map: '{"0":["variables.file"]}' },
    adds: 1,
  },
];

describe('Files with an Idempotency-Key', () => {
  let media: MediaServer;
  let photo: Buffer;
  before(async () => {
    media = await serveMedia();
    photo = await drawNoise(330, 200);
  });
  after(() => media.stop());

  /** Sends a form, whose boundary is another one each time. */
  const send = async (path: string, key: string, { method = 'POST', field, fields = {} }: Partial<FilesCase>, bytes = photo) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append(field ?? 'files', new Blob([bytes], { type: 'image/png' }), 'photo.png');
    const headers = { 'idempotency-key': key, 'apollo-require-preflight': 'true' };
    const response = await fetch(media.url + path, { method, headers, body: form });
    return { status: response.status, text: await response.text(), replayed: response.headers.get('idempotency-replayed') };
  };
  const files = (): Promise<number> => media.database.db.collection('files').countDocuments();

  for (const { path, name, adds, ...form } of cases)
    it(`${name} is written once`, async () => {
      const [file] = (await media.upload([{ name: 'a.png', type: 'image/png', bytes: photo }])).body;
      const story: Answered = await media.send('POST', '/api/stories', { data: { title: 's' } });
      const target = path({ file: Number(file.id), story: Number(story.body.data.id) });
      const [before, key] = [await files(), randomUUID()];
      const first = await send(target, key, form);
      expect([first.status, first.replayed, first.text.includes('"errors"')], first.text).to.deep.equal([200, null, false]);
      const stored = await media.stored();
      const again = await send(target, key, form);
      expect([again.status, again.text, again.replayed]).to.deep.equal([200, first.text, 'true']);
      expect([(await files()) - before, await media.stored()]).to.deep.equal([adds, stored]);
      const other = await send(target, key, form, Buffer.concat([photo, Buffer.from([0])]));
      expect([other.status, await media.stored()]).to.deep.equal([422, stored]);
    });

  it('20 concurrent uploads with one key store one file, and no bytes besides', async () => {
    const [before, stored, key] = [await files(), await media.stored(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('/api/upload', key, {})));
    expect([...new Set(answers.map(({ status, text }) => `${String(status)} ${text}`))]).to.have.lengthOf(1);
    expect(answers[0]?.status).to.equal(200);
    expect((await files()) - before).to.equal(1);
    expect((await media.stored()).pending).to.equal(stored.pending);
  });

  it('the deletion of a file is done once', async () => {
    const [file] = (await media.upload([{ name: 'a.png', type: 'image/png', bytes: photo }])).body;
    const key = randomUUID();
    const remove = () =>
      fetch(`${media.url}/api/upload/files/${String(file.id)}`, { method: 'DELETE', headers: { 'idempotency-key': key } });
    const [first, again] = [await remove(), await remove()];
    expect([again.status, await again.text()]).to.deep.equal([200, await first.text()]);
  });

  it('a wrong key is refused before a file is received', async () => {
    const { status, text } = await send('/api/upload', 'short', {});
    expect([status, JSON.parse(text).error.name]).to.deep.equal([400, 'IdempotencyError']);
  });
});
