import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { roundsOf } from '../../support/rounds.js';
import type { TestModel } from '../../support/serve.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const link = (relation: string, target: string, more = {}) => ({ type: 'relation', relation, target, ...more });
const part = (name: string, attributes: object): TestModel => ({ uid: `base.${name}`, info: { displayName: name }, attributes });
const trash = { options: { draftAndPublish: true, trash: { days: 10 } } };
const note = 'api::note.note';
const mark = 'api::mark.mark';

const models: readonly TestModel[] = [
  part('part', { label: { type: 'string' }, code: { type: 'string', unique: true }, mark: link('oneToOne', mark) }),
  part('other', { inner: { type: 'component', component: 'base.part', repeatable: true } }),
  part('holder', {
    label: { type: 'string' },
    note: link('oneToOne', note),
    notes: link('oneToMany', note),
  }),
  collectionType(
    'note',
    {
      title: { type: 'string' },
      slug: { type: 'string', unique: true },
      big: { type: 'biginteger' },
      at: { type: 'datetime' },
      data: { type: 'json' },
      secret: { type: 'password' },
      hidden: { type: 'string', private: true },
      part: { type: 'component', component: 'base.part' },
      parts: { type: 'component', component: 'base.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['base.part', 'base.other'] },
      mate: link('oneToOne', mark, { inversedBy: 'mated' }),
      marks: link('manyToMany', mark, { inversedBy: 'notes' }),
      owned: link('oneToMany', mark, { mappedBy: 'owner' }),
      any: { type: 'relation', relation: 'morphToMany' },
      self: link('manyToMany', note),
    },
    trash,
  ),
  collectionType('mark', {
    name: { type: 'string' },
    mated: link('oneToOne', note, { mappedBy: 'mate' }),
    notes: link('manyToMany', note, { mappedBy: 'marks' }),
    owner: link('manyToOne', note, { inversedBy: 'owned' }),
  }),
  collectionType('fan', {
    one: link('oneToOne', note),
    many: link('oneToMany', note),
    any: { type: 'relation', relation: 'morphToOne' },
    anys: { type: 'relation', relation: 'morphToMany' },
    holder: { type: 'component', component: 'base.holder' },
    holders: { type: 'component', component: 'base.holder', repeatable: true },
    zone: { type: 'dynamiczone', components: ['base.holder', 'base.part'] },
  }),
  collectionType('plain', { title: { type: 'string' } }),
  collectionType(
    'page',
    {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      slug: { type: 'string', unique: true, pluginOptions: { i18n: { localized: false } } },
    },
    { options: { trash: {} }, pluginOptions: { i18n: { localized: true } } },
  ),
  { ...collectionType('home', { title: { type: 'string' } }, { options: { trash: {} } }), kind: 'singleType' },
];

const rich = {
  ...{ title: 'First', slug: 'first', big: '9007199254740993', at: '2026-01-02T03:04:05.000Z', data: { a: [1, null], $b: 2 } },
  ...{ secret: 'Secret123', hidden: 'h' },
  part: { label: 'one', code: 'c1', mark: 1 },
  parts: [{ label: 'x' }, { label: 'y', code: 'c2', mark: 2 }],
  zone: [
    { __component: 'base.other', inner: [{ label: 'in', mark: 3 }] },
    { __component: 'base.part', label: 'z' },
  ],
  ...{ mate: 3, marks: [2, 1], owned: [3, 1], any: [{ __type: mark, id: 2 }] },
};

describe('the trash', () => {
  let server: ServingAccounts;
  let token = '';
  const admin = (method: string, path: string, body?: object) => server.admin(method, path, body);
  const send = (method: string, path: string, body?: object) => server.as(token, method, `/api${path}`, body);
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data;
  };
  const listed = async (uid = note, query = '') => (await admin('GET', `/trash/${uid}${query}`)).body.data;
  const restore = (id: number, uid = note) => admin('POST', `/trash/${uid}/${String(id)}/restore`);
  const stored = (collection: string, filter: object) => server.database.db.collection(collection).findOne(filter);
  const ranksIn = async (collection: string, id: number) => (await stored(collection, { _id: id }))?.['_ranks'] as object;
  /** Creates an entry with a title of its own, and returns its id. */
  const create = async (data: object, path = '/notes'): Promise<number> => (await api('POST', path, { data })).id;
  const restored = async (id: number, uid = note): Promise<void> => {
    const answer = await restore(id, uid);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body.data).to.deep.equal({ id, leftOut: [] });
  };

  before(async () => {
    server = await serveAccounts({ models });
    token = (await admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    for (const name of ['one', 'two', 'three', 'four', 'five']) await create({ name }, '/marks');
    for (const [code, name] of [
      ['fr', 'French'],
      ['de', 'German'],
    ])
      expect((await admin('POST', '/locales', { code, name })).status).to.equal(200);
  });
  after(() => server.stop());

  it('has a deleted entry as it was, and gives it back with its id, times, components, passwords and links', async () => {
    const id = await create(rich);
    const self = { data: { self: [id] } };
    await api('PUT', `/notes/${String(id)}`, self);
    const [document, ranks] = [await stored('notes', { _id: id }), await ranksIn('marks', 3)];
    await api('DELETE', `/notes/${String(id)}`);
    expect((await send('GET', `/notes/${String(id)}`)).status).to.equal(404);
    expect((await stored('marks', { _id: 3 }))?.['owner']).to.equal(null);
    const [first] = await listed();
    expect(first).to.deep.include({ id, deletedBy: { kind: 'token', id: 1 } });
    expect(Date.now() - Date.parse(first.deletedAt)).to.be.below(60_000);
    expect(first.entry).to.include({ id, title: 'First', big: rich.big, hidden: 'h' }).and.not.have.property('secret');
    expect(first.entry.zone[0].inner[0].label).to.equal('in');
    await restored(id);
    const now = await stored('notes', { _id: id });
    expect({ ...now, __version: 0 }).to.deep.equal({ ...document, __version: 0 });
    expect(now?.['__version']).to.be.above(Number(document?.['__version']));
    const owned = await stored('marks', { _id: 3 });
    expect(owned).to.deep.include({ owner: id, _ranks: ranks });
    expect(await listed()).to.deep.equal([]);
    expect((await restore(id)).status).to.equal(404);
    await api('DELETE', `/notes/${String(id)}`);
  });

  it('gives back the links that other entries stored, at every place', async () => {
    const id = await create({ title: 'target' });
    const other = await create({ title: 'other' });
    const morph = { __type: note, id };
    const fan = await create(
      {
        ...{ one: id, many: [other, id], any: morph, anys: [{ __type: mark, id: 1 }, morph] },
        holder: { label: 'h', note: id, notes: [id] },
        holders: [{ label: 'a' }, { label: 'b', note: id }, { label: 'c', note: id, notes: [other, id] }],
        zone: [
          { __component: 'base.part', label: 'p' },
          { __component: 'base.holder', label: 'z', note: id },
        ],
      },
      '/fans',
    );
    const document = await stored('fans', { _id: fan });
    await api('DELETE', `/notes/${String(id)}`);
    const without = await stored('fans', { _id: fan });
    expect(JSON.stringify(without)).to.not.contain(`"id":${String(id)},"rank"`);
    expect(without?.['one']).to.equal(null);
    await restored(id);
    expect({ ...(await stored('fans', { _id: fan })), __version: 0 }).to.deep.equal({ ...document, __version: 0 });
    expect(await server.database.db.collection('_trash_links').countDocuments()).to.equal(
      await server.database.db.collection('_trash_links').countDocuments({ trash: { $in: await trashIds() } }),
    );
  });
  const trashIds = async () => (await server.database.db.collection('_trash').find().toArray()).map(({ _id }) => _id);

  it('leaves out links whose other end is gone or taken', async () => {
    const [gone, mate] = [await create({ name: 'gone' }, '/marks'), await create({ name: 'mate' }, '/marks')];
    const id = await create({ title: 'links', marks: [gone, 1], mate, owned: [4, 5] });
    const fan = await create({ one: id, holders: [{ note: id }, { note: id }] }, '/fans');
    const holders = (await stored('fans', { _id: fan }))?.['holders'] as { id: number }[];
    await api('DELETE', `/notes/${String(id)}`);
    await api('DELETE', `/marks/${String(gone)}`);
    const rival = await create({ title: 'rival', mate, owned: [5] });
    await api('PUT', `/fans/${String(fan)}`, { data: { one: rival, holders: [{ id: holders[1]?.id, label: 'kept' }] } });
    await restored(id);
    const { attributes } = await api('GET', `/notes/${String(id)}?populate=marks,mate,owned`);
    const ids = ({ data }: { data: { id: number }[] }) => data.map((one) => one.id);
    expect([ids(attributes.marks), attributes.mate.data, ids(attributes.owned)]).to.deep.equal([[1], null, [4]]);
    expect((await stored('fans', { _id: fan }))?.['one']).to.equal(rival);
    expect((await stored('fans', { _id: fan }))?.['holders']).to.deep.include({ ...holders[1], label: 'kept', note: id });
  });

  it('answers 409 with all unique values that others have now, and keeps the entry', async () => {
    const id = await create({ title: 'unique', slug: 'taken', parts: [{ code: 'p1' }] });
    await api('DELETE', `/notes/${String(id)}`);
    const rival = await create({ slug: 'taken', part: { code: 'x' }, parts: [{ code: 'p1' }] });
    const { status, body } = await restore(id);
    expect([status, body.error.name]).to.deep.equal([409, 'ConflictError']);
    expect(body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.'))).to.have.members([
      'slug',
      'parts.0.code',
    ]);
    expect(body.error.message).to.equal('Another entry has its value of slug, parts.0.code');
    await api('DELETE', `/notes/${String(rival)}`);
    await restored(id);
  });

  it('has nothing of a delete that is undone with its transaction', async () => {
    const id = await create({ title: 'undone' });
    const requests = [
      { method: 'DELETE', path: `/notes/${String(id)}` },
      { method: 'DELETE', path: '/notes/99999' },
    ];
    expect((await send('POST', '/batch', { transaction: true, requests })).status).to.equal(404);
    expect((await listed()).map((one: { id: number }) => one.id)).to.not.include(id);
  });

  it('gives an entry back once, to one of several at the same time', async () => {
    for (let round = 0; round < roundsOf(3, 30); round++) {
      const id = await create({ title: 'race', slug: `race-${String(round)}` });
      await api('DELETE', `/notes/${String(id)}`);
      const statuses = (await Promise.all([1, 2, 3, 4].map(() => restore(id)))).map(({ status }) => status);
      expect(statuses.sort(), String(statuses)).to.deep.equal([200, 404, 404, 404]);
      expect(await server.database.db.collection('notes').countDocuments({ _id: id as never })).to.equal(1);
    }
  });

  it('is emptied by one of a restore and a final deletion, never by both', async () => {
    for (let round = 0; round < roundsOf(3, 30); round++) {
      const id = await create({ title: 'either' });
      await api('DELETE', `/notes/${String(id)}`);
      const [back, end] = await Promise.all([restore(id), admin('DELETE', `/trash/${note}/${String(id)}`)]);
      expect([back.status, end.status].sort()).to.deep.equal([200, 404]);
      expect((await send('GET', `/notes/${String(id)}`)).status).to.equal(back.status);
    }
  });

  it('never gives a unique value to two entries', async () => {
    for (let round = 0; round < roundsOf(3, 30); round++) {
      const slug = `fought-${String(round)}`;
      const id = await create({ slug });
      await api('DELETE', `/notes/${String(id)}`);
      const [back, made] = await Promise.all([restore(id), send('POST', '/notes', { data: { slug } })]);
      expect(['200 400', '409 200']).to.include(`${String(back.status)} ${String(made.status)}`);
      expect(await server.database.db.collection('notes').countDocuments({ slug })).to.equal(1);
    }
  });

  it('restores while a linked entry is deleted, without a link that stays', async () => {
    for (let round = 0; round < roundsOf(2, 20); round++) {
      const target = await create({ name: 'target' }, '/marks');
      const id = await create({ title: 'linked', marks: [target], owned: [target] });
      await api('DELETE', `/notes/${String(id)}`);
      const [back, gone] = await Promise.all([restore(id), send('DELETE', `/marks/${String(target)}`)]);
      expect([back.status, gone.status]).to.deep.equal([200, 200]);
      const { attributes } = await api('GET', `/notes/${String(id)}?populate=marks,owned`);
      expect([attributes.marks.data, attributes.owned.data]).to.deep.equal([[], []]);
    }
  });

  describe('of localizations', () => {
    const page = 'api::page.page';
    const create3 = async (slug: string): Promise<readonly [number, number, number]> => {
      const en = await create({ title: 'Sea', slug }, '/pages');
      const make = async (locale: string, title: string) =>
        (await send('POST', `/pages/${String(en)}/localizations`, { locale, title })).body.id as number;
      return [en, await make('fr', 'Mer'), await make('de', 'Meer')];
    };
    const remove = (id: number) => api('DELETE', `/pages/${String(id)}`);
    const group = async (id: number) => {
      const { attributes } = await api('GET', `/pages/${String(id)}?populate=localizations`);
      return attributes.localizations.data.map((one: { id: number }) => one.id).sort();
    };

    it('brings one back into its group, with the values that the group shares now', async () => {
      const [en, fr, de] = await create3('sea');
      await remove(en);
      await api('PUT', `/pages/${String(fr)}`, { data: { slug: 'la-mer' } });
      await restored(en, page);
      expect(await group(en)).to.deep.equal([fr, de]);
      expect((await api('GET', `/pages/${String(en)}`)).attributes).to.include({ slug: 'la-mer', title: 'Sea', locale: 'en' });
      const leaders = { _group: en, _leads: true };
      expect(await server.database.db.collection('pages').countDocuments(leaders)).to.equal(1);
      expect((await send('POST', '/pages', { data: { slug: 'la-mer' } })).status).to.equal(400);
    });

    it('answers 409 for a locale that is taken', async () => {
      const [en, fr] = await create3('lake');
      await remove(fr);
      const again = await send('POST', `/pages/${String(en)}/localizations`, { locale: 'fr', title: 'Lac' });
      const { status, body } = await restore(fr, page);
      expect([status, body.error.details.errors[0].path]).to.deep.equal([409, ['locale']]);
      await remove(again.body.id as number);
      await restored(fr, page);
    });

    it('brings a whole group back, one after the other or at once, and one of them leads', async () => {
      for (let round = 0; round < roundsOf(2, 20); round++) {
        const ids = await create3(`river-${String(round)}`);
        for (const id of ids) await remove(id);
        const answers = await Promise.all(ids.map((id) => restore(id, page)));
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
        expect(await group(ids[0])).to.deep.equal([ids[1], ids[2]]);
        const leaders = await server.database.db.collection('pages').find({ _group: ids[0], _leads: true }).toArray();
        expect(leaders).to.have.length(1);
      }
    });

    it('has the entries of a deleted locale, and gives none back without it', async () => {
      const [, , de] = await create3('ocean');
      expect((await admin('DELETE', '/locales/de')).status).to.equal(200);
      const { status, body } = await restore(de, page);
      expect([status, body.error.details.errors[0].path]).to.deep.equal([409, ['locale']]);
      await admin('POST', '/locales', { code: 'de', name: 'German' });
      await restored(de, page);
    });
  });

  it('gives a single type back unless it has an entry again', async () => {
    const { id } = await api('PUT', '/home', { data: { title: 'First' } });
    await api('DELETE', '/home');
    const again = await api('PUT', '/home', { data: { title: 'Second' } });
    const { status, body } = await restore(id, 'api::home.home');
    expect([status, body.error.message]).to.deep.equal([409, 'The single type has an entry']);
    await api('DELETE', '/home');
    await restored(id, 'api::home.home');
    expect((await api('GET', '/home')).attributes.title).to.equal('First');
    expect((await restore(again.id, 'api::home.home')).status).to.equal(409);
  });

  it('is listed in pages, the newest first', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 27; at++) ids.push(await create({ title: String(at) }));
    for (const id of ids) await api('DELETE', `/notes/${String(id)}`);
    const newest = ids.reverse();
    const idsOf = async (query: string) => (await listed(note, query)).map((one: { id: number }) => one.id);
    expect(await idsOf('')).to.deep.equal(newest.slice(0, 25));
    expect(await idsOf('?page=2&pageSize=10')).to.deep.equal(newest.slice(10, 20));
  });

  it('is emptied for ever, and by the days of the option', async () => {
    const id = await create({ title: 'for ever' });
    await api('DELETE', `/notes/${String(id)}`);
    const row = await stored('_trash', { of: id });
    expect((row?.['expiresAt'] as Date).getTime() - (row?.['at'] as Date).getTime()).to.equal(10 * 86_400_000);
    expect((await admin('DELETE', `/trash/${note}/${String(id)}`)).body).to.deep.equal({ data: { id } });
    expect((await admin('DELETE', `/trash/${note}/${String(id)}`)).status).to.equal(404);
    expect((await restore(id)).status).to.equal(404);
    const indexes = await server.database.db.collection('_trash').indexes();
    expect(indexes.find(({ name }) => name === 'expiry')).to.include({ expireAfterSeconds: 0 });
  });

  it('is told as a delete and a create: totals, and sends no more commands for types without it', async () => {
    const total = async () => (await send('GET', '/notes?pagination[pageSize]=1')).body.meta.pagination.total as number;
    const before = await total();
    const id = await create({ title: 'counted' });
    await api('DELETE', `/notes/${String(id)}`);
    expect(await total()).to.equal(before);
    await restored(id);
    expect(await total()).to.equal(before + 1);
    const plain = await create({ title: 'plain' }, '/plains');
    await server.settled();
    const { commands } = await server.countCommands(() => api('DELETE', `/plains/${String(plain)}`));
    expect(commands.filter((name) => name === 'commitTransaction' || name === 'insert')).to.deep.equal([]);
  });

  for (const [method, path, status] of [
    ['GET', '/trash/api::plain.plain', 404],
    ['GET', '/trash/api::none.none', 404],
    ['GET', `/trash/${note}?pageSize=101`, 400],
    ['GET', `/trash/${note}?page=0`, 400],
    ['GET', `/trash/${note}?page=x`, 400],
    ['GET', `/trash/${note}?filters[title]=x`, 400],
    ['POST', `/trash/${note}/x/restore`, 400],
    ['POST', `/trash/${note}/99999/restore`, 404],
    ['DELETE', `/trash/${note}/99999`, 404],
    ['DELETE', `/trash/${note}/0`, 400],
  ] as const)
    it(`${method} ${path}: ${String(status)}`, async () => {
      expect((await admin(method, path)).status).to.equal(status);
    });
});
