import { expect } from 'chai';
import { type BlobOwner, blobRecords } from '#store/stores/blob-store.js';
import type { Media } from '#media/media.js';
import { sweep } from '#media/retire-files.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const oldest = 60_000;

describe('media/retire-files', () => {
  let server: MediaServer;
  let media: Media;
  before(async () => {
    server = await serveMedia();
    ({ media } = server);
  });
  after(() => server.stop());

  const owners: Readonly<Record<string, () => BlobOwner>> = {
    'this instance': () => media.owner,
    'another instance of this process': () => ({ ...media.owner, instance: 'other' }),
    'a process of this machine that has ended': () => ({ ...media.owner, instance: 'other', pid: 4_194_305 }),
    'a process of this machine that lives': () => ({ ...media.owner, instance: 'other', pid: process.ppid }),
    'another machine': () => ({ host: 'elsewhere', pid: 1, instance: 'other' }),
  };
  const cases: readonly (readonly [age: number, owner: string, isSwept: boolean])[] = [
    [0, 'this instance', false],
    [2 * oldest, 'this instance', true],
    [0, 'another instance of this process', true],
    [0, 'a process of this machine that has ended', true],
    [0, 'a process of this machine that lives', false],
    [2 * oldest, 'a process of this machine that lives', true],
    [0, 'another machine', false],
    [2 * oldest, 'another machine', true],
  ];
  for (const [age, name, isSwept] of cases)
    it(`${isSwept ? 'deletes' : 'leaves'} what ${name} began ${String(age / 1000)} s ago`, async () => {
      const id = blobRecords.newId();
      const owner = owners[name]?.() ?? media.owner;
      await blobRecords.insertPending(media.database, {
        id,
        key: id,
        provider: 'gridfs',
        owner,
        since: new Date(Date.now() - age),
      });
      await sweep(media, oldest);
      expect(await blobRecords.findPending(media.database, [id])).to.have.length(isSwept ? 0 : 1);
    });

  for (const [what, isLater] of [
    ['while it is swept', true],
    ['before it is swept', false],
  ] as const)
    it(`deletes no bytes of a slow upload that publishes its file ${what}`, async () => {
      const id = blobRecords.newId();
      const owner: BlobOwner = { host: 'elsewhere', pid: 1, instance: 'other' };
      await blobRecords.insertPending(media.database, { id, key: id, provider: 'gridfs', owner, since: new Date(0) });
      const publish = (): Promise<unknown> =>
        blobRecords.publish(media.database, [{ id, name: `${id}.txt`, size: 1 }]).catch(String);
      const removed: string[] = [];
      let published: unknown;
      const watched: Media = {
        ...media,
        storageOf: (provider, database) => ({
          ...media.storageOf(provider, database),
          remove: async (key) => {
            removed.push(key);
            published = await publish();
          },
        }),
      };
      if (!isLater) published = await publish();
      await sweep(watched, oldest);
      expect([removed, (await blobRecords.find(media.database, `${id}.txt`)) !== null]).to.deep.equal(
        isLater ? [[id], false] : [[], true],
      );
      expect(String(published)).to.include(isLater ? 'The upload was interrupted' : 'undefined');
    });
});
