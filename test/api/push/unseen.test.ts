import { expect } from 'chai';
import { servePush, type ServingPush } from './push-kit.js';

const allOf = (type: string): readonly string[] =>
  ['find', 'findOne', 'create', 'update', 'delete'].map((name) => `api::${type}.${type}.${name}`);

describe('a push and what its client has not seen', () => {
  let service: ServingPush;
  let ann: { readonly id: number; readonly jwt: string };
  let seen: number;
  let hidden: number;
  before(async () => {
    service = await servePush();
    ann = await service.addUser('ann');
    const actions = [...allOf('article'), ...allOf('tag'), ...allOf('author')];
    expect((await service.admin('PUT', '/roles/1', { actions })).status).to.equal(200);
    const rules = { rows: { 'api::tag.tag': { name: { $ne: 'hidden' } } }, fields: null };
    expect((await service.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
    seen = await service.make('tags', { name: 'seen' });
    hidden = await service.make('tags', { name: 'hidden' });
  });
  after(() => service.stop());

  const tagsOf = async (id: number): Promise<readonly number[]> =>
    (await service.read('articles', id)).tags.data.map((tag: { readonly id: number }) => tag.id);

  it('links to hidden entries stay when a list is set', async () => {
    const more = await service.make('tags', { name: 'more' });
    const id = await service.make('articles', { title: 'a', tags: [seen, hidden] });
    const set = { tags: { from: [seen], to: [more] } };
    const answer = await service.pushOne({ op: 'update', type: 'articles', id, set }, ann.jwt);
    expect(answer.status, JSON.stringify(answer)).to.equal('applied');
    expect(answer.attributes.tags).to.deep.equal([{ id: more }]);
    expect(await tagsOf(id)).to.have.members([hidden, more]);
  });

  it('a list without hidden entries takes the order that is set', async () => {
    const more = await service.make('tags', { name: 'more' });
    const id = await service.make('articles', { title: 'a', tags: [seen, more] });
    const set = { tags: { from: [seen, more], to: [more, seen] } };
    expect((await service.pushOne({ op: 'update', type: 'articles', id, set }, ann.jwt)).status).to.equal('applied');
    expect(await tagsOf(id)).to.deep.equal([more, seen]);
  });

  it('an added link does not tell whether a hidden entry is linked', async () => {
    const linked = await service.make('articles', { title: 'a', tags: [hidden] });
    const other = await service.make('articles', { title: 'a' });
    const add = { tags: [hidden] };
    const [one, two] = await service.push(
      ann.jwt,
      { op: 'update', type: 'articles', id: linked, add },
      { op: 'update', type: 'articles', id: other, add },
    );
    expect(one?.status).to.equal('refused');
    expect(one?.error).to.deep.equal(two?.error);
    expect(await tagsOf(linked)).to.deep.equal([hidden]);
  });

  it('a link to one draft is not overwritten unseen', async () => {
    const draft = await service.make('authors', { name: 'draft', publishedAt: null });
    const author = await service.make('authors', { name: 'author' });
    const id = await service.make('articles', { title: 'a', author: draft });
    const set = { author: { from: null, to: author } };
    const answer = await service.pushOne({ op: 'update', type: 'articles', id, set }, ann.jwt);
    expect(answer.status, JSON.stringify(answer)).to.equal('conflict');
    expect(answer.conflicts).to.deep.equal({ author: { from: null, mine: author, theirs: draft } });
  });

  it('a name of an entry of another type is refused', async () => {
    const id = await service.make('articles', { title: 'stays' });
    const [, removed, later] = await service.push(
      service.full,
      { op: 'create', type: 'tags', id: '$a-tag-by-name', set: { name: { to: 'x' } } },
      { op: 'delete', type: 'articles', id: '$a-tag-by-name' },
      { op: 'update', type: 'articles', id, set: { title: { to: 'changed' } } },
    );
    expect(removed?.status).to.equal('refused');
    expect(removed?.error).to.include({ status: 400 });
    expect(later?.status).to.equal('applied');
  });
});
