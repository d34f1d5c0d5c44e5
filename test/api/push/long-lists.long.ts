import { expect } from 'chai';
import { maximumLinks } from '#model/schema/link-input.js';
import { servePush, type ServingPush } from './push-kit.js';

describe('pushed lists of links', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  const update = (id: number, more: object) => service.pushOne({ op: 'update', type: 'articles', id, ...more });

  it('that are as long as a list may be are added again, changed and replaced', async () => {
    const ids = Array.from({ length: maximumLinks }, (_, n) => 1_000 + n);
    const tags = [...ids, 900].map((_id) => ({ _id, name: 'x' }));
    await service.database.db.collection<{ _id: number }>('tags').insertMany(tags);
    const id = await service.make('articles', { title: 'Salt' });
    const linksAfter = async (more: object): Promise<readonly number[]> => {
      const { status, error, attributes } = await update(id, more);
      expect([status, error]).to.deep.equal(['applied', undefined]);
      return (attributes.tags as { id: number }[]).map((tag) => tag.id);
    };
    expect(await linksAfter({ add: { tags: ids } })).to.deep.equal(ids);
    expect(await linksAfter({ add: { tags: ids } })).to.deep.equal(ids);
    expect(await linksAfter({ add: { tags: ids.slice(5, 6) } })).to.deep.equal(ids);
    expect(await linksAfter({ add: { tags: [900] }, remove: { tags: ids.slice(0, 1) } })).to.deep.equal([...ids.slice(1), 900]);
    const from = [...ids.slice(1), 900];
    expect(await linksAfter({ set: { tags: { from, to: ids.slice(1) } } })).to.deep.equal(ids.slice(1));
    await update(id, { add: { tags: [900] } });
    const { status, error } = await update(id, { add: { tags: ids } });
    expect([status, error?.message]).to.deep.equal([
      'refused',
      'tags holds at most 10000 related entries; let the other side own the relation (a manyToOne) for more',
    ]);
  });

  const forms: readonly (readonly [name: string, value: unknown, message: string])[] = [
    ['tags', { connect: [1] }, 'tags.to must be a list of ids'],
    ['tags', { disconnect: [1] }, 'tags.to must be a list of ids'],
    ['tags', { set: [1] }, 'tags.to must be a list of ids'],
    ['tags', [{ id: 1 }], 'tags.to must be a list of ids'],
    ['tags', 1, 'tags.to must be a list of ids'],
    ['photos', { connect: [1] }, 'photos.to must be a list of ids'],
    ['author', { connect: [1] }, 'author.to must be an id or null'],
    ['author', { id: 1 }, 'author.to must be an id or null'],
    ['author', [1], 'author.to must be an id or null'],
    ['cover', { set: [1] }, 'cover.to must be an id or null'],
  ];
  for (const [name, to, message] of forms)
    it(`are refused as ${JSON.stringify(to)} in ${name}`, async () => {
      const id = await service.make('articles', { title: 'Salt' });
      const answer = await update(id, { set: { [name]: { to }, title: { to: 'Pepper' } } });
      expect(answer).to.deep.include({ status: 'refused' });
      expect(answer.error).to.include({ status: 400, message });
      expect((await service.read('articles', id)).title).to.equal('Salt');
    });

  it('have no other form in what was read either', async () => {
    const id = await service.make('articles', { title: 'Salt' });
    const answer = await update(id, { set: { author: { from: { id: 1 }, to: null } } });
    expect(answer.error).to.include({ status: 400, message: 'author.from must be an id or null' });
  });

  it('are no files and no entry as null', async () => {
    const id = await service.make('articles', { title: 'Salt' });
    const answer = await update(id, { set: { photos: { from: null, to: null }, author: { from: null, to: null } } });
    expect(answer.status).to.equal('applied');
  });
});
