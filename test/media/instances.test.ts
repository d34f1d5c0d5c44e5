import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { drawNoise } from './draw.js';
import { serveMedia, type MediaServer } from './serve-media.js';

describe('media on two instances', () => {
  let database: FreshDatabase;
  let one: MediaServer;
  let other: MediaServer;
  before(async () => {
    database = await freshDatabase();
    [one, other] = [await serveMedia({}, { uses: database }), await serveMedia({}, { uses: database })];
  });
  after(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  const load = async ({ url }: MediaServer, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers });
    return { status: response.status, etag: response.headers.get('etag'), bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it('files uploaded to one are served, linked, resized, replaced and deleted by the other', async () => {
    const before = await one.stored();
    const sent = { name: 'photo.png', type: 'image/png', bytes: await drawNoise(330, 200) };
    const [file] = (await one.upload([sent])).body;
    const [here, there] = [await load(one, file.url), await load(other, file.url)];
    expect([there.status, there.etag, there.bytes.equals(here.bytes)]).to.deep.equal([200, here.etag, true]);
    const part = await load(other, file.url, { range: 'bytes=10-19' });
    expect([part.status, part.bytes.equals(here.bytes.subarray(10, 20))]).to.deep.equal([206, true]);
    expect((await load(other, file.formats.thumbnail.url)).status).to.equal(200);

    const story = await other.send('POST', '/api/stories?populate=cover', { data: { title: 't', cover: file.id } });
    expect(story.body.data.attributes.cover.data.attributes.url).to.equal(file.url);
    const resized = await Promise.all([one, other].map((instance) => load(instance, `${String(file.url)}?width=320`)));
    expect(resized.map(({ status }) => status)).to.deep.equal([200, 200]);

    await other.upload([{ name: 'b.txt', type: 'text/plain', bytes: 'replaced' }], {}, `POST /api/upload?id=${file.id}`);
    expect((await load(one, file.url)).bytes.toString()).to.equal('replaced');
    await other.send('DELETE', `/api/upload/files/${file.id}`);
    expect((await load(one, file.url)).status).to.equal(404);
    const { cover } = (await one.send('GET', `/api/stories/${story.body.data.id}?populate=cover`)).body.data.attributes;
    expect(cover.data).to.equal(null);
    expect(await one.stored()).to.deep.equal(before);
  });
});
