import { expect } from 'chai';
import { newKey, type Pushed, servePush, type ServingPush } from './push-kit.js';

const statuses = (answers: readonly Pushed[]): readonly string[] => answers.map(({ status }) => status);

describe('the writes of a push', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  let names = 0;
  const newName = (): string => `$name-of-a-new-entry-${String((names += 1))}`;
  const create = (id: string, title: string, more: object = {}) =>
    ({ op: 'create', type: 'articles', id, set: { title: { to: title } }, ...more }) as const;
  const update = (id: number | string, more: object) => ({ op: 'update', type: 'articles', id, ...more }) as const;
  const count = () => service.database.db.collection('articles').countDocuments();

  it('create entries, to which later writes refer by the names of the client', async () => {
    const [article, tag, other] = [newName(), newName(), newName()];
    const answers = await service.push(
      service.full,
      { op: 'create', type: 'tags', id: tag, set: { name: { to: 'salty' } } },
      create(article, 'Salt', { set: { title: { to: 'Salt' }, tags: { to: [tag] } } }),
      { op: 'create', type: 'tags', id: other, set: { name: { to: 'sea' } } },
      update(article, { set: { tags: { from: [tag], to: [] } }, increment: { views: 1 } }),
      update(article, { add: { tags: [other] } }),
    );
    expect(statuses(answers)).to.deep.equal(Array(5).fill('applied'));
    const [tagged, made, sea, changed, added] = answers;
    expect(made?.attributes.tags).to.deep.equal([{ id: tagged?.id }]);
    expect(changed).to.deep.include({ id: made?.id });
    expect(added?.attributes.tags).to.deep.equal([{ id: sea?.id }]);
    const later = await service.pushOne(
      update(article, { remove: { tags: [other] }, set: { title: { from: 'Salt', to: 'Sea salt' } } }),
    );
    expect(later).to.include({ status: 'applied', id: made?.id });
    expect(later.attributes).to.deep.include({ tags: [], title: 'Sea salt', views: 1 });
  });

  it('refer to new entries in components too, and only to entries of the type of the relation', async () => {
    const [author, article] = [newName(), newName()];
    const set = { seo: { to: { title: 'a', author } }, title: { to: author } };
    const answers = await service.push(
      service.full,
      { op: 'create', type: 'authors', id: author, set: { name: { to: 'Ann' } } },
      { op: 'create', type: 'articles', id: article, set: { ...set, title: { to: '$name' } } },
      update(article, { add: { tags: [author] } }),
    );
    expect(statuses(answers)).to.deep.equal(['applied', 'applied', 'refused']);
    expect(answers[1]?.attributes).to.deep.include({ title: '$name' });
    expect(answers[1]?.attributes.seo.author).to.deep.equal({ id: answers[0]?.id });
    expect(answers[2]?.error).to.include({ status: 400 });
  });

  it('wait for creates that were not applied, and for earlier writes to the same entry that were not', async () => {
    const name = newName();
    const id = await service.make('articles', { title: 'Pepper' });
    const other = await service.make('articles', { title: 'other' });
    const answers = await service.push(
      service.full,
      create(name, 'a title of more than twenty characters'),
      update(name, { set: { title: { to: 'x' } } }),
      update(other, { set: { author: { to: newName() } } }),
      update(other, { set: { title: { to: 'y' } } }),
      update(id, { set: { title: { from: 'Salt', to: 'Sea salt' } } }),
      update(id, { increment: { views: 1 } }),
      { op: 'delete', type: 'articles', id },
      { op: 'create', type: 'tags', id: newName(), set: { name: { to: 'applied' } } },
    );
    expect(statuses(answers)).to.deep.equal([
      ...['refused', 'waiting', 'waiting', 'waiting'],
      ...['conflict', 'waiting', 'waiting', 'applied'],
    ]);
    expect(answers[1]).to.include({ id: name, version: null });
    expect(await service.read('articles', id)).to.include({ title: 'Pepper', views: null });
    expect((await service.read('articles', other)).title).to.equal('other');
  });

  it('are carried out once, however often and however concurrently they are pushed', async () => {
    const [name, before] = [newName(), await count()];
    const writes = [
      { ...create(name, 'once'), key: newKey() },
      { ...update(name, { increment: { views: 1 } }), key: newKey() },
      { ...update(name, { increment: { views: 1 } }), key: newKey() },
    ];
    const pushes = await Promise.all(Array.from({ length: 5 }, () => service.push(service.full, ...writes)));
    for (const answers of pushes) expect(answers).to.deep.equal(pushes[0]);
    expect(statuses(pushes[0] ?? [])).to.deep.equal(['applied', 'applied', 'applied']);
    expect(pushes[0]?.[2]?.attributes.views).to.equal(2);
    expect(await service.push(service.full, ...writes)).to.deep.equal(pushes[0]);
    expect(await count()).to.equal(before + 1);
  });

  it('are the same whatever the order of the names in their JSON', async () => {
    const id = await service.make('articles', { title: 'Salt', views: 1 });
    const key = newKey();
    const one = { key, ...update(id, { set: { title: { from: 'Salt', to: 'a' }, views: { from: 1, to: 2 } } }) };
    const other = {
      set: { views: { to: 2, from: 1 }, title: { to: 'a', from: 'Salt' } },
      id,
      type: 'articles',
      op: 'update',
      key,
    } as const;
    const first = await service.pushOne(one);
    expect(await service.pushOne(other)).to.deep.equal(first);
  });

  it('are refused with 422 for a key with other content, and with 409 for a name of another key', async () => {
    const [name, key] = [newName(), newKey()];
    const first = await service.pushOne({ ...create(name, 'one'), key });
    expect((await service.pushOne({ ...create(name, 'two'), key })).error).to.include({ status: 422, name: 'IdempotencyError' });
    const before = await count();
    expect((await service.pushOne(create(name, 'one'))).error).to.include({ status: 409, name: 'IdempotencyError' });
    const races = await Promise.all(['a', 'b', 'c'].map((title) => service.pushOne(create('$raced-by-three-creates', title))));
    expect(statuses(races).filter((status) => status === 'applied')).to.have.length(1);
    expect(races.filter(({ error }) => error?.status === 409)).to.have.length(2);
    expect(await count()).to.equal(before + 1);
    expect(await service.pushOne({ ...create(name, 'one'), key })).to.deep.equal(first);
  });

  it('of two devices to one entry: increments sum exactly, and one of two values is a conflict', async () => {
    const id = await service.make('articles', { title: 'Salt', views: 0, tags: [] });
    const tags = await Promise.all(Array.from({ length: 6 }, (_, index) => service.make('tags', { name: String(index) })));
    const devices = tags.map((tag, device) =>
      service.push(
        service.full,
        ...Array.from({ length: 10 }, () => update(id, { increment: { views: 1, count: 2 } })),
        update(id, { add: { tags: [tag] } }),
        update(id, { set: { title: { from: 'Salt', to: String(device) } } }),
      ),
    );
    const answers = await Promise.all(devices);
    expect(answers.flatMap((own) => statuses(own.slice(0, 11)))).to.deep.equal(Array(66).fill('applied'));
    const last = answers.map((own) => own.at(-1));
    expect(last.filter((answer) => answer?.status === 'applied')).to.have.length(1);
    expect(last.filter((answer) => answer?.status === 'conflict')).to.have.length(5);
    const entry = await service.read('articles', id);
    expect(entry).to.include({
      views: 60,
      count: '120',
      title: String(last.findIndex((answer) => answer?.status === 'applied')),
    });
    expect(entry.tags.data.map((tag: { id: number }) => tag.id)).to.have.members(tags);
  });

  it('obey unique attributes, also between devices', async () => {
    const authors = ['a', 'b'].map((device) =>
      service.pushOne({ op: 'create', type: 'authors', id: `$unique-author-of-${device}`, set: { name: { to: 'unique' } } }),
    );
    const answers = await Promise.all(authors);
    expect([...statuses(answers)].sort()).to.deep.equal(['applied', 'refused']);
    expect(answers.find(({ error }) => error)?.error).to.include({ status: 400, name: 'ValidationError' });
  });

  it('have locales and drafts as single requests', async () => {
    const page = (more: object) => ({ op: 'create', type: 'pages', id: newName(), ...more }) as const;
    await service.admin('POST', '/locales', { code: 'fr', name: 'French' });
    const french = await service.pushOne(page({ set: { title: { to: 'un' }, publishedAt: { to: null } }, locale: 'fr' }));
    expect(french.attributes, JSON.stringify(french)).to.include({ title: 'un', locale: 'fr', publishedAt: null });
    const english = await service.pushOne(page({ set: { title: { to: 'one' } } }));
    expect(english.attributes).to.include({ locale: 'en' });
    expect(english.attributes.publishedAt).to.be.a('string');
    expect((await service.pushOne(page({ set: { title: { to: 'x' } }, locale: 'xx' }))).error).to.include({ status: 400 });
    expect((await service.pushOne(page({ set: {} }))).error).to.include({ status: 400 });
    const tag = await service.pushOne({ op: 'create', type: 'tags', id: newName(), set: {}, locale: 'fr' });
    expect(tag.error, 'a type without locales').to.include({ status: 400, message: 'tags have no locales' });
    const id = french.id;
    const published = { title: { from: 'un', to: 'deux' }, publishedAt: { from: null, to: '2026-01-01T00:00:00.000Z' } };
    const answer = await service.pushOne({ op: 'update', type: 'pages', id, set: published });
    expect(answer.attributes).to.include({ title: 'deux', publishedAt: '2026-01-01T00:00:00.000Z' });
    for (const name of ['locale', 'localizations', 'createdAt', 'id', 'nothing'])
      expect((await service.pushOne({ op: 'update', type: 'pages', id, set: { [name]: { to: 'x' } } })).error, name).to.include({
        status: 400,
      });
  });

  it('raise the position of sync', async () => {
    const { headers } = await service.as(service.full, 'POST', '/api/sync/push', {
      writes: [{ ...create(newName(), 'place'), key: newKey() }],
    });
    expect(headers.get('sync-position')).to.match(/^\d+$/);
  });

  const good = { key: 'a key of the tests', op: 'update', type: 'articles', id: 1 };
  const wrong: readonly (readonly [title: string, writes: unknown, place: string])[] = [
    ['no list', undefined, 'writes'],
    ['an object', {}, 'writes'],
    ['too many', Array(101).fill(good), 'writes'],
    ['no write', [good, null], 'writes.1'],
    ['no key', [{ ...good, key: undefined }], 'writes.0.key'],
    ['an empty key', [{ ...good, key: '' }], 'writes.0.key'],
    ['a long key', [{ ...good, key: 'x'.repeat(256) }], 'writes.0.key'],
    ['a key that is not ASCII', [{ ...good, key: 'ключ' }], 'writes.0.key'],
    ['an unknown op', [{ ...good, op: 'upsert' }], 'writes.0.op'],
    ['no type', [{ ...good, type: 5 }], 'writes.0.type'],
    ['no id', [{ ...good, id: undefined }], 'writes.0.id'],
    ['a text as id', [{ ...good, id: '1' }], 'writes.0.id'],
    ['a wrong name', [{ ...good, op: 'create', id: '$a b' }], 'writes.0.id'],
    ['an id of a create', [{ ...good, op: 'create' }], 'writes.0.id'],
    ['locale of an update', [{ ...good, locale: 'fr' }], 'writes.0.locale'],
    ['an unknown name', [{ ...good, sets: {} }], 'writes.0.sets'],
    ['a set without to', [{ ...good, set: { title: { from: 1 } } }], 'writes.0.set.title.to'],
    ['a bare value', [{ ...good, set: { title: 'x' } }], 'writes.0.set.title'],
    ['from on a create', [{ ...good, op: 'create', id: '$a', set: { title: { from: 1, to: 2 } } }], 'writes.0.set.title.from'],
    ['to on a delete', [{ ...good, op: 'delete', set: { title: { from: 1, to: 2 } } }], 'writes.0.set.title.to'],
    ['an increment on a create', [{ ...good, op: 'create', id: '$a', increment: { views: 1 } }], 'writes.0.increment'],
    ['an increment by a text', [{ ...good, increment: { views: 'many' } }], 'writes.0.increment.views'],
    ['no list to add', [{ ...good, add: { tags: 1 } }], 'writes.0.add.tags'],
    ['an object to add', [{ ...good, add: { tags: [{ id: 1 }] } }], 'writes.0.add.tags.0'],
    ['an attribute in two parts', [{ ...good, set: { tags: { to: [] } }, add: { tags: [1] } }], 'writes.0'],
  ];
  for (const [title, writes, place] of wrong)
    it(`${title}: a 400 that names the place, and nothing is carried out`, async () => {
      const id = await service.make('articles', { title: 'Salt' });
      const first = { ...good, key: newKey(), id, set: { title: { to: 'changed' } } };
      const given = Array.isArray(writes) ? [first, ...(writes as unknown[])] : writes;
      const { status, body } = await service.as(service.full, 'POST', '/api/sync/push', { writes: given });
      expect(status).to.equal(400);
      expect(body.error.name).to.equal('ValidationError');
      const [at, index, ...rest] = place.split('.');
      const shifted = [at, ...(index === undefined ? [] : [String(Number(index) + 1)]), ...rest].join('.');
      expect(body.error.message).to.match(new RegExp(`^${shifted}\\b`));
      expect((await service.read('articles', id)).title).to.equal('Salt');
    });

  it('an unknown parameter: a 400 that names it, and nothing is carried out', async () => {
    const id = await service.make('articles', { title: 'Salt' });
    const writes = [{ ...good, key: newKey(), id, set: { title: { to: 'changed' } } }];
    for (const name of ['populate', 'dryRun', 'fields[0]']) {
      const { status, body } = await service.as(service.full, 'POST', `/api/sync/push?${name}=x`, { writes });
      expect(status).to.equal(400);
      expect(body.error.message).to.equal(`Invalid parameter ${name.split('[')[0] ?? ''}: expected none`);
    }
    expect((await service.read('articles', id)).title).to.equal('Salt');
  });

  it('an empty push is answered', async () => {
    expect(await service.push(service.full)).to.deep.equal([]);
  });
});
