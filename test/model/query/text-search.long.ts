import { expect } from 'chai';
import type { Document } from 'mongodb';
import { oneText } from '#model/query/operands.js';
import { type Operator, operators } from '#model/query/operators.js';
import { explain } from '../../support/explain.js';
import { serveModels, type Serving } from '../../support/serve.js';

const type = (name: string, attributes: object, options: object = {}) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
  ...options,
});

const trigram = { type: 'string', search: 'trigram' };
const english = { type: 'text', search: { language: 'en' } };

const models = [
  type('note', {
    title: trigram,
    body: { type: 'text', search: 'trigram' },
    rank: { type: 'integer' },
    place: { type: 'integer', index: true },
  }),
  type('mixed', { title: trigram, body: { type: 'text' } }),
  type('page', { title: english, body: english, secret: { ...english, private: true }, slug: { type: 'string' } }),
  type(
    'tale',
    { title: { ...trigram, pluginOptions: { i18n: { localized: true } } }, code: trigram },
    { pluginOptions: { i18n: { localized: true } } },
  ),
  type('fable', { title: trigram }, { pluginOptions: { i18n: { localized: true } } }),
  type('saying', { words: english, mark: { type: 'string' } }),
  type('verse', { words: english, teller: { type: 'relation', relation: 'manyToOne', target: 'api::teller.teller' } }),
  type('teller', { name: { type: 'string' } }),
  type('owner', { name: { type: 'string' }, note: { type: 'relation', relation: 'oneToOne', target: 'api::note.note' } }),
];

/** Pairs that differ by case alone, to the database or to others. */
const odd = [
  'ſtraße',
  'STRASSE',
  'straẞe',
  'ΟΔΟΣ',
  'οδος',
  'οδοσ',
  'Kelvin',
  'kelvin',
  'İstanbul',
  'ıstanbul',
  'ǅungla',
  'ǄUNGLA',
];
const others = [
  'µm scale',
  'μm scale',
  '𐐀𐐁𐐂 deseret',
  '𐐨𐐩𐐪 deseret',
  'ﬁne',
  'FINE',
  'Ⓐbc',
  'ⓐBC',
  'a.c*',
  'naïve',
  'NAI\u0308VE',
  'ab',
];
const titles = [...odd, ...others, 'Fish stew', 'fishing', 'The Fisher', 'Fi sh'];

/** As many as the sample of trigrams holds, so that it holds all of them: the frequencies do not depend on chance. */
const all = 300;

const notes = Array.from({ length: all }, (_, index) => ({
  _id: index + 1,
  title: titles[index] ?? `entry number ${String(index)}`,
  body: index % 3 === 0 ? null : `body of ${String(index)}`,
  rank: index % 7,
}));

const long = Array.from({ length: 3_000 }, (_, index) => index.toString(36).padStart(4, 'q')).join(' ');

/** Documents that a command examines. */
const examined = async ({ database }: Serving, command: Document): Promise<number> =>
  (await explain(database.db, command)).documentsExamined;

describe('text search', () => {
  let serving: Serving;
  before(async () => {
    const pages = [
      { _id: 1, title: 'Running shoes', body: 'The best shoes to run in', secret: 'walrus', slug: 'shoes' },
      { _id: 2, title: 'Run', body: 'run and runs', secret: null, slug: 'walrus' },
      { _id: 3, title: 'Cooking', body: 'Soups and stews', secret: null, slug: 'running' },
    ];
    const mixeds = Array.from({ length: 40 }, (_, index) => ({
      _id: index + 1,
      title: 'Fish stew',
      body: `soup no${String(index)}`,
    }));
    const sayings = Array.from({ length: 60 }, (_, index) => ({
      _id: index + 1,
      words: index < 30 ? null : 'well said',
      mark: 'm',
    }));
    // as many as are not joined with what they are sorted by
    const verses = Array.from({ length: 2_000 }, (_, index) => ({
      _id: index + 1,
      words: index % 3 === 0 ? 'nothing' : 'well said',
      teller: (index % 7) + 1,
    }));
    const tellers = Array.from({ length: 7 }, (_, index) => ({ _id: index + 1, name: `teller ${String((index * 3) % 7)}` }));
    const owners = [{ _id: 1, name: 'o', note: titles.indexOf('Fish stew') + 1 }];
    const fables = Array.from({ length: 40 }, (_, index) => ({
      _id: index + 1,
      title: index < 2 ? 'Seal and crab' : `Fox ${String(index)}`,
      locale: index % 2 === 0 ? 'en' : 'fr',
      _group: index,
    }));
    const locale = (_id: number, code: string) => ({ _id, code, name: code });
    const i18n_locales = [locale(1, 'en'), locale(2, 'fr')];
    serving = await serveModels({
      models,
      documents: { notes, pages, fables, mixeds, sayings, verses, tellers, owners, i18n_locales },
    });
    await serving.settled();
  });
  after(() => serving.stop());

  const ids = async (path: string): Promise<number[]> => {
    const { body, status } = await serving.call('GET', `/api/${path}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body.data as { id: number }[]).map(({ id }) => id);
  };

  /** The read commands of a request on a collection, without counts of all its documents, which are sent once a minute. */
  const readsOf = async (path: string, on = serving, collection = 'notes'): Promise<Document[]> => {
    const commands: Document[] = [];
    const { client } = on.server.backend?.store.database ?? {};
    const listen = ({ command }: { readonly command: Document }): void => {
      const isSize = 'count' in command && !('query' in command);
      if (!isSize && [command['find'], command['aggregate'], command['count']].includes(collection)) commands.push(command);
    };
    client?.on('commandStarted', listen);
    const { status, body } = await on.call('GET', `/api/${path}`);
    client?.off('commandStarted', listen);
    expect(status, JSON.stringify(body)).to.equal(200);
    return commands;
  };

  const statusOf = async (uid: string): Promise<Document | undefined> =>
    (await serving.database.db.collection('_model_status').findOne({ uid }))?.['search'] as Document | undefined;

  const served: readonly (readonly [string, number])[] = [
    ['notes?filters[title][$containsi]=FISHE', 2],
    ['notes?filters[title][$containsi]=fishe&pagination[withCount]=false', 2],
    ['notes?_q=Fish stew', 4],
    ['notes?_q=150', all], // a part of ids and numbers, too
    ['notes?filters[title][$containsi]=fishe&filters[rank][$gte]=0&sort=rank', 2],
    ['notes?filters[$or][0][title][$containsi]=fishe&filters[$or][1][body]=x', all],
    ['notes?filters[title][$containsi]=fi', all],
    ['notes?filters[title][$notContainsi]=fishe', all],
  ];
  for (const [path, most] of served)
    it(`${path} examines ${most === all ? 'all' : `at most ${String(most)}`} documents`, async () => {
      const [command] = await readsOf(path);
      const count = await examined(serving, command ?? {});
      if (most === all) expect(count).to.be.within(25, all);
      else expect(count).to.be.most(most);
    });

  it('an operator with a pattern finds all entries, which do not contain its operand', async () => {
    const pattern = (operand: string): string => operand.replaceAll('*', '.*');
    const like: (typeof operators)[Operator] = { ...oneText, text: 'insensitive', pattern };
    const table: Partial<Record<string, typeof like>> = operators;
    Object.assign(table, { like });
    try {
      expect(await ids('notes?filters[title][$like]=fish*st')).to.deep.equal([titles.indexOf('Fish stew') + 1]);
      expect(await ids('notes?filters[title][$like]=f*sh')).to.have.length(4);
    } finally {
      delete table['like'];
    }
  });

  it('_q uses trigrams in a localized type, and finds the codes of locales', async () => {
    const [command] = await readsOf('fables?_q=seal&locale=all', serving, 'fables');
    expect(await examined(serving, command ?? {})).to.equal(2);
    const odd = Array.from({ length: 20 }, (_, index) => 2 * index + 1);
    expect(await ids('fables?_q=seal')).to.deep.equal([1]);
    expect(await ids('fables?_q=EN&locale=all')).to.deep.equal(odd);
    expect(await ids('fables?_q=n')).to.deep.equal(odd);
    expect((await statusOf('api::fable.fable'))?.['scans']).not.to.contain('locale');
  });

  const words: readonly (readonly [string, readonly number[]])[] = [
    ['pages?_q=running', [1, 2]],
    ['pages?_q=shoe&sort=_score', [1]],
    ['pages?_q=run&sort=_score&pagination[pageSize]=1', [2]],
    ['pages?_q=soup shoe&sort=_score:desc,title&pagination[withCount]=false', [1, 3]],
    ['pages?_q=run&filters[id][$gt]=1', [2]],
    ['pages?_q=walrus', []], // private, or not in the index
  ];
  for (const [path, found] of words)
    it(`${path} finds ${found.join(', ') || 'nothing'}`, async () => expect(await ids(path)).to.deep.equal(found));

  it('the full-text index is not used for the order of a sort', async () => {
    const path = 'sayings?filters[mark][$contains]=m&sort=words&pagination[pageSize]=3';
    expect(await ids(path)).to.deep.equal([1, 2, 3]);
    expect(await ids(path)).to.deep.equal([1, 2, 3]); // with a known total
    const reads = await readsOf(path, serving, 'sayings');
    expect(reads.map((command) => Object.keys(command)[0])).to.deep.equal(['aggregate', 'find']);
  });

  it('the last page sorted by score is the same when the total is known', async () => {
    const path = (start: number) => `pages?_q=run shoe soup&sort=_score&pagination[start]=${String(start)}&pagination[limit]=2`;
    const best = await ids(path(0));
    const last = await ids(path(2));
    expect([...best, ...last]).to.have.members([1, 2, 3]);
    expect(await ids(path(2))).to.deep.equal(last);
  });

  for (const [order, tellers] of Object.entries({ asc: [1, 6], desc: [3, 5] }))
    it(`words are found in the order of a relation: ${order}`, async () => {
      const found = Array.from({ length: 2_000 }, (_, index) => index + 1).filter((id) => (id - 1) % 3 !== 0);
      const told = tellers.flatMap((teller) => found.filter((id) => ((id - 1) % 7) + 1 === teller));
      expect(await ids(`verses?_q=said&sort=teller.name:${order}&pagination[start]=180&pagination[limit]=20`)).to.deep.equal(
        told.slice(180, 200),
      );
    });

  const refused = ['pages?sort=_score', 'notes?_q=fish&sort=_score', 'pages?_q=run&sort=_score:up', 'owners?sort=note._score'];
  for (const path of refused)
    it(`${path} is refused`, async () => expect((await serving.call('GET', `/api/${path}`)).status).to.equal(400));

  const note = (id: number) => serving.database.db.collection<{ _id: number; _trigrams: Document }>('notes').findOne({ _id: id });

  it('updates the trigrams of written values, and never shows them', async () => {
    const created = await serving.call('POST', '/api/notes', { data: { title: 'Whale song', body: long } });
    const { id } = created.body.data as { id: number };
    expect((await note(id))?._trigrams).to.deep.include({ body: null });
    expect(await ids('notes?filters[title][$containsi]=whale s')).to.deep.equal([id]);
    expect(await ids('notes?filters[body][$containsi]=q2ba q2bb')).to.deep.equal([id]);
    const updated = await serving.call('PUT', `/api/notes/${String(id)}`, { data: { title: 'Crab dance', body: null } });
    expect((await note(id))?._trigrams).to.deep.include({ body: '' });
    expect(await ids('notes?filters[title][$containsi]=whale')).to.deep.equal([]);
    expect(await ids('notes?filters[title][$containsi]=crab')).to.deep.equal([id]);
    expect(await ids('owners?filters[note][title][$containsi]=SH ST')).to.deep.equal([1]);
    const types = await Promise.all(
      ['/docs/openapi.json', `/api/notes/${String(id)}?populate=*`].map((path) => serving.call('GET', path)),
    );
    expect(JSON.stringify([created, updated, ...types])).not.to.contain('_trigrams');
  });

  it('updates the trigrams of values that GraphQL writes', async () => {
    const write = async (mutation: string): Promise<number> => {
      const { body } = await serving.call('POST', '/graphql', { query: `mutation { note: ${mutation} { data { id } } }` });
      return Number(body.data.note.data.id);
    };
    const id = await write('createNote(data: { title: "Owl" })');
    expect((await note(id))?._trigrams).to.deep.equal({ title: ['owl'], body: '' });
    await write(`updateNote(id: ${String(id)}, data: { body: "Hoot" })`);
    expect((await note(id))?._trigrams).to.deep.equal({ title: ['owl'], body: ['hoo', 'oot'] });
  });

  it('updates the trigrams of shared values in every locale', async () => {
    const stored = async () => {
      const rows = await serving.database.db.collection('tales').find().sort({ _id: 1 }).toArray();
      return rows.map(({ _trigrams }) => _trigrams as Document);
    };
    await serving.call('POST', '/api/tales', { data: { title: 'Sea', code: 'one' } });
    const made = await serving.call('POST', '/api/tales/1/localizations', { locale: 'fr', title: 'Mer' });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    expect(await stored()).to.deep.equal([
      { title: ['sea'], code: ['one'] },
      { title: ['mer'], code: ['one'] },
    ]);
    await serving.call('PUT', '/api/tales/2', { data: { code: 'two' } });
    expect((await stored()).map(({ code }) => code as unknown)).to.deep.equal([['two'], ['two']]);
  });

  it('records in _model_status which indexes searches use, and why they scan all entries', async () => {
    expect(await statusOf('api::note.note')).to.deep.equal({
      attributes: ['title', 'body'].map((attribute) => ({ attribute, search: 'trigram', state: 'ready' })),
      scans: '_q scans all entries if it is a number: no index finds parts of id, rank, place',
    });
    expect((await statusOf('api::mixed.mixed'))?.['scans']).to.contain('no trigrams of body');
    expect((await statusOf('api::page.page'))?.['attributes']).to.have.length(3);
    expect(await statusOf('api::owner.owner')).to.equal(undefined);
  });

  /** Gives an attribute of the live model other options, and waits until both instances have taken them up. */
  const setBody = async (second: Serving, search: object): Promise<void> => {
    const body = { type: 'text', ...search };
    const models = serving.database.db.collection<{ _id: string }>('_models');
    await models.updateOne({ _id: 'api::mixed.mixed' }, { $set: { 'attributes.body': body } });
    await serving.settled();
    await second.settled();
  };

  it('finds inflected words after a live model gets a language, and parts of words after it loses it, on each instance', async () => {
    const second = await serveModels({ models: [], database: serving.database });
    const totals = (): Promise<number[]> =>
      Promise.all(
        [second, serving].map(async (instance) => {
          const { status, body } = await instance.call('GET', '/api/mixeds?_q=soups');
          expect(status, JSON.stringify(body)).to.equal(200);
          return Number(body.meta.pagination.total);
        }),
      );
    try {
      expect(await totals()).to.deep.equal([0, 0]);
      await setBody(second, { search: { language: 'en' } });
      expect(await totals()).to.deep.equal([40, 40]);
      const written = await serving.call('POST', '/api/mixeds', { data: { title: 'x', body: 'Souping' } });
      await second.settled(); // totals are kept until the instance hears of the write
      expect(await totals()).to.deep.equal([41, 41]);
      await serving.call('DELETE', `/api/mixeds/${String(written.body.data.id)}`);
      await setBody(second, {});
      expect(await totals()).to.deep.equal([0, 0]);
    } finally {
      await second.stop();
    }
  });

  it('builds the trigrams of stored entries when a model gets the option, and drops them when it loses it, on each instance', async () => {
    const { db } = serving.database;
    const second = await serveModels({ models: [], database: serving.database });
    const option = (search: object): Promise<void> => setBody(second, search);
    const stored = async () => (await db.collection('mixeds').findOne({ body: 'soup no7' }))?.['_trigrams'] as Document;
    const examinedBy = async (on: Serving): Promise<number> => {
      const [command] = await readsOf('mixeds?filters[body][$containsi]=NO17', on, 'mixeds');
      return examined(serving, command ?? {});
    };
    try {
      await option({ search: 'trigram' });
      expect(await stored()).to.deep.include({ body: ['sou', 'oup', 'up ', 'p n', ' no', 'no7'] });
      expect((await statusOf('api::mixed.mixed'))?.['scans']).to.contain('if it is a number: no index finds parts of id');
      for (const instance of [serving, second]) expect(await examinedBy(instance)).to.equal(1);
      await option({});
      expect(await stored()).not.to.have.property('body');
      const indexes = await db.collection('mixeds').indexes();
      expect(indexes.map(({ name }) => name)).not.to.include('mangrove__trigrams.body');
      for (const instance of [serving, second]) expect(await examinedBy(instance)).to.equal(40);
    } finally {
      await second.stop();
    }
  });

  it('builds trigrams again if the model gets the option back before they are dropped', async () => {
    const { db } = serving.database;
    const setField = async (name: string, attribute: string, search: object): Promise<void> => {
      const uid = `api::${name}.${name}`;
      const models = db.collection<{ _id: string }>('_models');
      await models.updateOne({ _id: uid }, { $set: { [`attributes.${attribute}`]: { type: 'text', ...search } } });
      await serving.server.backend?.models.loadModels([uid]);
    };
    const claims = db.collection<{ _id: string; holder: string; until: Date }>('_claims');
    await setBody(serving, { search: 'trigram' });
    // What is dropped has to wait for the build of another type, which another instance holds up.
    await claims.insertOne({ _id: 'search sayings/mark', holder: 'other', until: new Date(Date.now() + 600_000) });
    await setField('saying', 'mark', { search: 'trigram' });
    await setField('mixed', 'body', {});
    const { body } = await serving.call('GET', '/api/mixeds?filters[body]=soup%20no7');
    await serving.call('PUT', `/api/mixeds/${String(body.data[0].id)}`, { data: { body: 'a goulash' } });
    await setField('mixed', 'body', { search: 'trigram' });
    await claims.deleteOne({ _id: 'search sayings/mark' });
    await serving.settled();
    expect((await serving.call('GET', '/api/mixeds?filters[body][$containsi]=goulash')).body.data).to.have.length(1);
    await setField('saying', 'mark', {});
    await serving.call('PUT', `/api/mixeds/${String(body.data[0].id)}`, { data: { body: 'soup no7' } });
    await setBody(serving, {});
  });

  const needles = [
    'fish',
    'FISH',
    'fi',
    'sh st',
    'strasse',
    'straße',
    'STRAẞE',
    'ſtr',
    'οδος',
    'ΔΟΣ',
    'kelvin',
    'ISTANBUL',
    'stanbul',
  ];
  const more = [
    'ǆun',
    'μm sc',
    '𐐨𐐩𐐪',
    'fine',
    'ﬁne',
    'Ⓐbc',
    'a.c*',
    'a.c',
    'naïve',
    'nai\u0308ve',
    'ab',
    'entry number 39',
    'nothing',
  ];

  for (const operator of ['$containsi', '$contains', '$startsWithi', '$startsWith', '$endsWithi', '$endsWith', '$eqi'])
    it(`${operator} finds the same with trigrams as without`, async () => {
      const { searches } = serving.server.backend?.store.database ?? {};
      const title = { collection: 'notes', attribute: 'title' };
      for (const needle of operator === '$containsi' ? [...needles, ...more] : ['fish', 'STRASSE', 'ab']) {
        const path = `notes?filters[title][${operator}]=${encodeURIComponent(needle)}&pagination[pageSize]=100`;
        const found = await ids(path);
        const withTrigrams = searches?.isComplete(title);
        searches?.setComplete(title, null);
        const scanned = await ids(path);
        searches?.setComplete(title, new Map());
        expect(withTrigrams).to.equal(true);
        expect(found, needle).to.deep.equal(scanned);
      }
    });
});
