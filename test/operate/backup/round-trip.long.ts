import { expect } from 'chai';
import { BSON, type Document } from 'mongodb';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { bookshopModels } from '../../support/read-project.js';
import { type Answer, serveModels, type Serving, type ServingInput } from '../../support/serve.js';
import { stockedBookshop } from '../../support/stocked-bookshop.js';
import { thingModels } from '../../support/things.js';
import { type BackupFolder, digestAll, makeFolder } from './backups.js';

const secret = 'a-secret-that-both-services-know-of-32';
const input: ServingInput = {
  models: [...bookshopModels(), ...thingModels],
  config: {
    admin: { token: 'an-admin-token-of-at-least-32-characters', apiToken: { salt: secret } },
    plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
  },
};

const thing = {
  ...{
    name: 'Ünï',
    owner: 1,
    note: 'a\nb',
    kind: 'b',
    count: -3,
    price: 0.1,
    big: '9007199254740993',
    active: false,
    day: '2024-02-29',
  },
  ...{
    hour: '12:34:56.789',
    at: '2024-02-29T12:34:56.789Z',
    data: { b: [1, { a: null }], '10': 1, '9': 2 },
    secret: 's',
    code: 'pass',
  },
  ...{
    main: { label: 'x' },
    parts: [{ label: 'y', maker: 2 }, { label: 'z' }],
    zone: [{ __component: 'thing.part', label: 'q' }],
  },
};

/** Documents of another program, whose form only BSON can say. */
const odd: readonly Document[] = [
  {
    _id: 1,
    a: new BSON.Int32(1),
    b: new BSON.Double(1),
    c: BSON.Long.fromString('9007199254740993'),
    d: BSON.Decimal128.fromString('1.10'),
  },
  { _id: new BSON.Double(2.5), a: new BSON.BSONRegExp('^a', 'im'), b: new BSON.MinKey(), c: new BSON.Timestamp({ t: 1, i: 2 }) },
  {
    _id: 'text',
    map: new Map<string, unknown>([
      ['z', 1],
      [
        '10',
        {
          a: new Map([
            ['3', 1],
            ['2', 2],
          ]),
        },
      ],
      [
        '9',
        [
          new Map([
            ['b', 1],
            ['1', 2],
          ]),
        ],
      ],
    ]),
  },
  { _id: { a: 1, b: new BSON.UUID() }, binary: new BSON.Binary(Buffer.from([1, 2]), 128) },
  { _id: new BSON.ObjectId(), $weird: 1, 'a.b': { $c: 1 }, '': null },
  { _id: new Date(0), ref: new BSON.DBRef('x', new BSON.ObjectId(), 'y') },
  { _id: null },
  { _id: true },
];

const paths = [
  'books?populate=*&locale=all&publicationState=preview&pagination[limit]=100',
  'books?populate[authors][populate]=agent&populate[publisher]=true&sort=pages:desc&pagination[cursors]=true',
  'reviews?filters[book][pages][$gt]=20&sort=rating&pagination[limit]=100',
  ...[
    'authors?populate=*',
    'genres?populate=*',
    'readers?populate=*',
    'things?populate=deep',
    'things?populate=*',
    'upload/files',
  ],
  ...['i18n/locales', 'users?populate=*', 'users-permissions/roles', 'persons?populate=*'],
];

describe('npx mangrove backup and restore', () => {
  let folder: BackupFolder;
  let source: Serving;
  let target: FreshDatabase;
  let held: Readonly<Record<string, string>>;
  let answers: readonly Answer[];
  const ask = (serving: Serving): Promise<readonly Answer[]> =>
    Promise.all(paths.map((path) => serving.call('GET', `/api/${path}`)));

  before(async () => {
    folder = await makeFolder();
    source = await serveModels({ ...input, documents: stockedBookshop });
    target = await freshDatabase();
    await fill(source);
    await source.database.db.collection<Document>('odd').insertMany(odd.map((document) => ({ ...document })));
    await source.database.db.collection('odd').createIndex({ 'a.b': -1 }, { sparse: true, name: 'mine' });
    answers = await ask(source);
    held = await digestAll(source.database);
  });
  after(async () => {
    await source.stop();
    await target.drop();
    await folder.remove();
  });

  it('write everything, and bring it back byte by byte, with the indexes', async () => {
    const made = await folder.run(source.database, 'backup', 'shop.backup.gz');
    expect(made.stdout).to.match(/^shop\.backup\.gz: \d+ documents, as of 20\d\d-[-\d:T.]+Z$/);
    expect(made.exitCode).to.equal(0);
    const restored = await folder.run(target, 'restore', 'shop.backup.gz');
    expect([restored.exitCode, restored.stderr.split('\n').filter((line) => !/^ {2}/.test(line))]).to.deep.equal([0, []]);
    expect(restored.stdout).to.match(/restored +books +200\n/);
    expect(await digestAll(target)).to.deep.equal(held);
  });

  it('bring back a service that answers the same, and lets users log in', async () => {
    const serving = await serveModels({ ...input, models: [], database: target });
    try {
      expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
      for (const [index, answer] of (await ask(serving)).entries())
        expect(JSON.stringify(answer), paths[index] ?? '').to.equal(JSON.stringify(answers[index]));
      const login = await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: 'password-of-ann' });
      expect([login.status, login.body.user?.username]).to.deep.equal([200, 'ann']);
      const [{ url }] = (await serving.call('GET', '/api/upload/files')).body.filter(
        ({ name }: { name: string }) => name === 'a.txt',
      );
      expect((await fetch(`${serving.server.url}${url}`)).status).to.equal(200);
      const created = await serving.call('POST', '/api/things', { data: { name: 'new' } });
      expect(created.body.data.id).to.be.greaterThan(2);
    } finally {
      await serving.stop();
    }
  });

  it('bring back a service that runs on the database meanwhile', async () => {
    const serving = await serveModels({ ...input, models: [] });
    try {
      expect((await serving.call('GET', '/api/books')).status).to.equal(404);
      expect((await folder.run(serving.database, 'restore', 'shop.backup.gz')).exitCode).to.equal(0);
      await serving.settled();
      for (const [index, answer] of (await ask(serving)).entries())
        expect(JSON.stringify(answer), paths[index] ?? '').to.equal(JSON.stringify(answers[index]));
      expect((await serving.call('POST', '/api/things', { data: { name: 'new' } })).body.data.id).to.be.greaterThan(2);
    } finally {
      await serving.stop();
    }
  });

  it('show their usage, and refuse unknown options', async () => {
    for (const name of ['backup', 'restore']) {
      expect((await folder.run(target, name, '--help')).stdout).to.match(new RegExp(`^usage: npx mangrove ${name} FILE`));
      const refused = await folder.run(target, name, '--nope', 'a.gz');
      expect([refused.exitCode, refused.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && /no option --nope/.test(text),
      );
    }
    expect((await folder.run(target, 'restore', 'a.gz', '--conflict', 'all')).stderr).to.match(
      /--conflict must be skip, replace or fail/,
    );
  });
});

async function fill({ call, server }: Serving): Promise<void> {
  for (const name of ['Ann', 'Bob']) await call('POST', '/api/persons', { data: { name, age: 30 } });
  for (const data of [thing, { name: 'empty' }])
    expect(JSON.stringify((await call('POST', '/api/things', { data })).body)).to.not.include('error');
  const user = { username: 'ann', email: 'ann@mail.test', password: 'password-of-ann' };
  await call('POST', '/api/auth/local/register', user);
  const form = new FormData();
  form.append('files', new Blob([Buffer.alloc(2_500_000, 'abc')], { type: 'text/plain' }), 'a.txt');
  await fetch(`${server.url}/api/upload`, { method: 'POST', body: form });
}
