import { expect } from 'chai';
import { Decimal128 } from 'mongodb';
import { newKey, servePush, type ServingPush } from './push-kit.js';

const idsOf = ({ data }: { readonly data: readonly { readonly id: number }[] | null }): readonly number[] =>
  (data ?? []).map(({ id }) => id);

describe('a pushed update', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  const article = (data: object) => service.make('articles', data);
  const update = (id: number | string, more: object) => ({ op: 'update', type: 'articles', id, ...more }) as const;

  it('is applied if the value is still the one that the client has read, and answers the entry', async () => {
    const id = await article({ title: 'Salt', views: 3 });
    const answer = await service.pushOne(update(id, { set: { title: { from: 'Salt', to: 'Sea salt' } } }));
    expect(answer.status).to.equal('applied');
    expect(answer.id).to.equal(id);
    expect(answer.attributes).to.include({ title: 'Sea salt', views: 3 });
    expect(answer.attributes).to.not.have.property('secret');
    const { headers } = await service.as(service.full, 'GET', `/api/articles/${String(id)}`);
    expect(headers.get('etag')).to.match(new RegExp(`^"${String(answer.version)}-`));
    expect((await service.read('articles', id)).title).to.equal('Sea salt');
  });

  it('compares the digits of a number that another program has stored as a decimal', async () => {
    const id = await article({ title: 'Salt', price: 1 });
    await service.database.db
      .collection('articles')
      .updateOne({ _id: id as never }, { $set: { price: Decimal128.fromString('0.1') } });
    const answer = await service.pushOne(update(id, { set: { price: { from: 0.1, to: 0.2 } } }));
    expect(answer.status).to.equal('applied');
    expect(answer.attributes).to.include({ price: 0.2 });
  });

  it('leaves alone what others have changed in other attributes', async () => {
    const id = await article({ title: 'Salt', views: 3 });
    await service.as(service.full, 'PUT', `/api/articles/${String(id)}`, { data: { views: 9 } });
    const answer = await service.pushOne(update(id, { set: { title: { from: 'Salt', to: 'Sea salt' } } }));
    expect(answer.attributes).to.include({ title: 'Sea salt', views: 9 });
  });

  it('is a conflict that names what others have changed, and changes nothing', async () => {
    const id = await article({ title: 'Salt', views: 3, price: 1.5 });
    await service.as(service.full, 'PUT', `/api/articles/${String(id)}`, { data: { title: 'Pepper' } });
    const set = { title: { from: 'Salt', to: 'Sea salt' }, price: { from: 1.5, to: 2 } };
    const answer = await service.pushOne(update(id, { set, increment: { views: 1 } }));
    expect(answer.status).to.equal('conflict');
    expect(answer.conflicts).to.deep.equal({ title: { from: 'Salt', mine: 'Sea salt', theirs: 'Pepper' } });
    expect(answer.attributes).to.include({ title: 'Pepper', views: 3, price: 1.5 });
    expect(answer.version).to.be.a('string');
    expect(await service.read('articles', id)).to.include({ title: 'Pepper', views: 3, price: 1.5 });
  });

  it('does not keep a conflict: the same key with a new from is evaluated anew', async () => {
    const id = await article({ title: 'Pepper' });
    const key = newKey();
    const first = await service.pushOne(update(id, { key, set: { title: { from: 'Salt', to: 'Sea salt' } } }));
    expect(first.status).to.equal('conflict');
    const second = await service.pushOne(update(id, { key, set: { title: { from: 'Pepper', to: 'Sea salt' } } }));
    expect(second.status).to.equal('applied');
    const third = await service.pushOne(update(id, { key, set: { title: { from: 'Salt', to: 'Sea salt' } } }));
    expect(third).to.include({ status: 'refused' });
    expect(third.error).to.include({ status: 422, name: 'IdempotencyError' });
  });

  const values: readonly (readonly [name: string, stored: unknown, from: unknown, to: unknown, other: unknown])[] = [
    ['title', null, null, 'a', 'b'],
    ['title', '', '', 'a', null],
    ['views', 3, 3, null, 4],
    ['price', 0.1, 0.1, 0.2, 0.3],
    ['count', '9007199254740993', '9007199254740993', '1', '9007199254740992'],
    ['at', '2026-10-01T10:00:00.000Z', '2026-10-01T12:00:00+02:00', null, '2026-10-01T12:00:00.000Z'],
    ['data', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, 5, { a: 1, b: [1, { c: 0 }] }],
    ['data', { $gt: 1 }, { $gt: 1 }, null, { $gt: 2 }],
    ['place', { lng: 2, lat: 48 }, { lat: 48, lng: 2 }, null, { lng: 2, lat: 49 }],
  ];
  for (const [name, stored, from, to, other] of values)
    it(`compares ${name} ${JSON.stringify(stored)} as it is stored, not as it is written`, async () => {
      const id = await article({ [name]: stored });
      const wrong = await service.pushOne(update(id, { set: { [name]: { from: other, to } } }));
      expect(wrong.status).to.equal('conflict');
      expect(wrong.conflicts?.[name]).to.deep.include({ from: other, mine: to, theirs: stored });
      const right = await service.pushOne(update(id, { set: { [name]: { from, to } } }));
      expect(right.status, JSON.stringify(right)).to.equal('applied');
      expect((await service.read('articles', id))[name]).to.deep.equal(to);
    });

  it('names a value that the attribute cannot have had', async () => {
    const id = await article({ title: 'Thyme' });
    for (const [name, from] of [
      ['at', 'yesterday'],
      ['views', {}],
      ['price', [1]],
    ] as const) {
      const { error } = await service.pushOne(update(id, { set: { [name]: { from, to: null } } }));
      expect(error).to.include({ status: 400, message: `${name}.from is no value of ${name}` });
    }
  });

  it('overwrites without from, and in types whose last write wins', async () => {
    const id = await article({ title: 'Pepper' });
    expect(await service.pushOne(update(id, { set: { title: { to: 'Salt' } } }))).to.include({ status: 'applied' });
    const memo = await service.make('memos', { text: 'theirs' });
    const set = { text: { from: 'before', to: 'mine' } };
    const answer = await service.pushOne({ op: 'update', type: 'memos', id: memo, set });
    expect(answer).to.include({ status: 'applied' });
    expect(answer.attributes).to.include({ text: 'mine' });
  });

  it('increases numbers, null from 0, and obeys the limits of the model', async () => {
    const id = await article({ price: 0.1, count: '9007199254740993' });
    const increment = { views: 2, price: 0.2, count: 1 };
    const answer = await service.pushOne(update(id, { increment }));
    expect(answer.attributes).to.include({ views: 2, price: 0.3, count: '9007199254740994' });
    expect((await service.pushOne(update(id, { increment: { views: -5 } }))).attributes.views).to.equal(-3);
    expect((await service.pushOne(update(id, { increment: { views: 5_000 } }))).error).to.include({ status: 400 });
    expect((await service.pushOne(update(id, { increment: { views: 0.5 } }))).error).to.include({ status: 400 });
    expect((await service.pushOne(update(id, { increment: { count: '9223372036854775807' } }))).error).to.include({
      status: 400,
    });
    expect((await service.pushOne(update(id, { increment: { title: 1 } }))).error).to.include({ status: 400 });
    expect(await service.read('articles', id)).to.include({ views: -3, count: '9007199254740994' });
  });

  it('refuses to increase what is stored in another form, and does not replace it', async () => {
    const id = await article({ title: 'Salt' });
    const articles = service.database.db.collection<{ _id: number; count: unknown; price: unknown }>('articles');
    await articles.updateOne({ _id: id }, { $set: { count: 12.5, price: Decimal128.fromString('1E+400') } });
    for (const name of ['count', 'price']) {
      const { error } = await service.pushOne(update(id, { increment: { [name]: 1 } }));
      expect(error?.status).to.equal(400);
      expect(error?.message).to.contain(`${name} cannot be increased`);
    }
    const stored = await articles.findOne({ _id: id });
    expect([stored?.count, String(stored?.price)]).to.deep.equal([12.5, '1E+400']);
  });

  it('compares and writes relations and files by ids', async () => {
    const [one, two] = [await service.make('authors', { name: 'one' }), await service.make('authors', { name: 'two' })];
    const tags = [await service.make('tags', { name: 'a' }), await service.make('tags', { name: 'b' })];
    const id = await article({ author: one, tags });
    const wrong = { author: { from: two, to: null }, tags: { from: [tags[0]], to: [] }, photos: { from: [7], to: [] } };
    const conflict = await service.pushOne(update(id, { set: { ...wrong, cover: { from: null, to: null } } }));
    expect(conflict.conflicts).to.deep.equal({
      author: { from: two, mine: null, theirs: one },
      tags: { from: [tags[0]], mine: [], theirs: tags },
      photos: { from: [7], mine: [], theirs: [] },
    });
    const set = { author: { from: one, to: two }, tags: { from: tags, to: [tags[1]] }, photos: { from: [], to: [] } };
    const answer = await service.pushOne(update(id, { set }));
    expect(answer.status).to.equal('applied');
    expect(answer.attributes).to.deep.include({ author: { id: two }, tags: [{ id: tags[1] }], photos: null, cover: null });
  });

  it('links files that were uploaded under the key of the write', async () => {
    const [id, key] = [await article({ title: 'with files' }), newKey()];
    const upload = async () => {
      const form = new FormData();
      form.append('files', new Blob(['a text']), 'a.txt');
      const headers = { authorization: `Bearer ${service.full}`, 'idempotency-key': key };
      const response = await fetch(`${service.server.url}/api/upload`, { method: 'POST', headers, body: form });
      expect(response.status).to.equal(200);
      return ((await response.json()) as readonly { readonly id: number }[])[0]?.id;
    };
    const file = await upload();
    expect(await upload()).to.equal(file);
    const set = { cover: { from: null, to: file }, photos: { from: [], to: [file] } };
    const answer = await service.pushOne(update(id, { key, set }));
    expect(answer.status, JSON.stringify(answer)).to.equal('applied');
    expect(answer.attributes).to.deep.include({ cover: { id: file }, photos: [{ id: file }] });
    const removed = await service.pushOne(update(id, { set: { cover: { from: file, to: null } }, remove: { photos: [file] } }));
    expect(removed.attributes).to.deep.include({ cover: null, photos: null });
    const added = await service.pushOne(update(id, { add: { photos: [file] } }));
    expect(added.attributes).to.deep.include({ photos: [{ id: file }] });
    expect((await service.pushOne(update(id, { set: { cover: { from: null, to: 99_999 } } }))).error).to.include({ status: 400 });
  });

  it('compares a link to one draft as it is stored, so that no copy without drafts removes it unseen', async () => {
    const draft = await service.make('authors', { name: 'draft', publishedAt: null });
    const id = await article({ author: draft });
    for (const from of [null, 999])
      expect(await service.pushOne(update(id, { set: { author: { from, to: null } } }))).to.include({ status: 'conflict' });
    expect(await service.pushOne(update(id, { set: { author: { from: draft, to: null } } }))).to.include({ status: 'applied' });
  });

  it('compares components and zones as a whole', async () => {
    const id = await article({ seo: { title: 'a' }, sections: [{ __component: 'shared.seo', title: 'b' }] });
    const { attributes } = await service.pushOne(update(id, {}));
    const { seo, sections } = attributes;
    expect(seo).to.include({ title: 'a', author: null });
    const wrong = await service.pushOne(update(id, { set: { seo: { from: { ...seo, title: 'x' }, to: null } } }));
    expect(wrong.conflicts).to.deep.equal({ seo: { from: { ...seo, title: 'x' }, mine: null, theirs: seo } });
    const set = { seo: { from: seo, to: { ...seo, title: 'c' } }, sections: { from: sections, to: [] } };
    const right = await service.pushOne(update(id, { set }));
    expect(right.status, JSON.stringify(right)).to.equal('applied');
    expect(right.attributes).to.deep.include({ seo: { ...seo, title: 'c' }, sections: [] });
  });

  it('adds to and removes from lists without a conflict, and does not move what is there', async () => {
    const tags: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) tags.push(await service.make('tags', { name }));
    const [a, b, c, d] = tags;
    const id = await article({ tags: [a, b] });
    await service.as(service.full, 'PUT', `/api/articles/${String(id)}`, { data: { tags: [b, a, c] } });
    await service.pushOne(update(id, { add: { tags: [a, d] }, remove: { tags: [c] } }));
    expect(idsOf((await service.read('articles', id)).tags)).to.deep.equal([b, a, d]);
    const author = await service.make('authors', { name: 'inverse' });
    const added = await service.pushOne({ op: 'update', type: 'authors', id: author, add: { articles: [id] } });
    expect(added).to.include({ status: 'applied' });
    expect((await service.read('articles', id)).author.data.id).to.equal(author);
    const others = [await article({ author }), await article({ author })];
    const inverse = { op: 'update', type: 'authors', id: author, add: { articles: [id, others[0]] } } as const;
    expect(await service.pushOne(inverse)).to.include({ status: 'applied' });
    expect(idsOf((await service.read('authors', author)).articles), 'nothing moves').to.deep.equal([id, ...others]);
    expect((await service.pushOne(update(id, { add: { tags: [99_999] } }))).error).to.include({ status: 400 });
    expect((await service.pushOne(update(id, { add: { author: [author] } }))).error).to.include({ status: 400 });
  });

  it('of an entry that is gone is refused with 404, before anything is compared', async () => {
    const answer = await service.pushOne(update(99_999, { set: { title: { from: 'a', to: 'b' } } }));
    expect(answer).to.include({ status: 'refused', id: 99_999, version: null });
    expect(answer.error).to.include({ status: 404, name: 'NotFoundError' });
    expect((await service.pushOne(update(99_999, { increment: { views: 1 } }))).error).to.include({ status: 404 });
  });

  it('demands from of types that demand If-Match', async () => {
    const id = await service.make('guards', { text: 'a' });
    const guarded = (more: object) => service.pushOne({ op: 'update', type: 'guards', id, ...more });
    expect((await guarded({ set: { text: { to: 'b' } } })).error).to.include({ status: 428 });
    expect(await guarded({ set: { text: { from: 'a', to: 'b' } } })).to.include({ status: 'applied' });
    expect((await service.pushOne({ op: 'delete', type: 'guards', id })).error).to.include({ status: 428 });
    const set = { text: { from: 'b' } };
    expect(await service.pushOne({ op: 'delete', type: 'guards', id, set })).to.include({ status: 'applied' });
  });

  it('deletes if the conditions are met, and what is gone is deleted', async () => {
    const id = await article({ title: 'Salt', data: { a: 1 } });
    const remove = (more: object = {}) => service.pushOne({ op: 'delete', type: 'articles', id, ...more });
    const wrong = await remove({ set: { title: { from: 'Pepper' }, data: { from: { a: 1 } } } });
    expect(wrong.conflicts).to.deep.equal({ title: { from: 'Pepper', theirs: 'Salt' } });
    expect((await remove({ set: { title: { from: 'Pepper' } } })).status).to.equal('conflict');
    const right = await remove({ set: { title: { from: 'Salt' }, data: { from: { a: 1 } } } });
    expect(right).to.include({ status: 'applied', id, version: null });
    expect(right).to.not.have.property('attributes');
    expect(await service.read('articles', id)).to.equal(undefined);
    expect(await remove({ set: { title: { from: 'Salt' } } })).to.include({ status: 'applied', version: null });
    expect(await remove()).to.include({ status: 'applied' });
  });
});
