import { expect } from 'chai';
import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp, type Document } from 'mongodb';
import { restoreSnapshot, takeSnapshot, type Snapshot } from '../../scripts/prove/conformance/snapshot.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';

/** Values whose type the driver keeps only if configured. */
const typed = {
  whole: new Int32(1),
  double: new Double(1),
  long: Long.fromNumber(1),
  decimal: Decimal128.fromString('1.50'),
  date: new Date('2024-01-01T00:00:00.000Z'),
  bytes: new Binary(Buffer.from('abc')),
  pattern: new BSONRegExp('^a', 'i'),
  object: new ObjectId('65a000000000000000000001'),
  stamp: new Timestamp({ t: 1, i: 2 }),
  nothing: null,
  deep: { list: [{ double: new Double(2) }, []] },
};

type Change = (database: FreshDatabase) => Promise<unknown>;
type Numbered = Document & { readonly _id: number };

const numbered = ({ db }: FreshDatabase, name: string) => db.collection<Numbered>(name);

const changes: Readonly<Record<string, readonly [change: Change, restored: readonly string[]]>> = {
  nothing: [() => Promise.resolve(), []],
  'an inserted document': [(database) => numbered(database, 'a').insertOne({ _id: 9 }), ['a']],
  'a changed value': [(database) => numbered(database, 'a').updateOne({ _id: 1 }, { $set: { name: 'other' } }), ['a']],
  'a value of another type': [(database) => numbered(database, 'a').updateOne({ _id: 2 }, { $set: { double: 1 } }), ['a']],
  'a deleted document': [(database) => numbered(database, 'b').deleteOne({ _id: 1 }), ['b']],
  'an emptied collection': [(database) => numbered(database, 'a').deleteMany({}), ['a']],
  'a filled collection that was empty': [(database) => numbered(database, 'empty').insertOne({ _id: 1 }), ['empty']],
  'a dropped collection': [({ db }) => db.dropCollection('b'), ['b']],
  'a new collection': [(database) => numbered(database, 'new').insertOne({ _id: 1 }), ['new']],
  'two collections': [
    async (database) => {
      await numbered(database, 'a').deleteOne({ _id: 1 });
      await numbered(database, 'b').insertOne({ _id: 2 });
    },
    ['a', 'b'],
  ],
  'a change and its undoing': [
    async (database) => {
      await numbered(database, 'b').insertOne({ _id: 2 });
      await numbered(database, 'b').deleteOne({ _id: 2 });
    },
    [],
  ],
  'the state of running servers, which is left alone': [
    (database) => numbered(database, '_model_status').updateOne({ _id: 1 }, { $set: { seen: true } }, { upsert: true }),
    [],
  ],
};

describe('restoreSnapshot', () => {
  let database: FreshDatabase;
  let snapshot: Snapshot;

  const read = (name: string): Promise<Document[]> =>
    database.db.collection(name).find({}, { promoteValues: false, bsonRegExp: true }).sort({ _id: 1 }).toArray();
  const readAll = () => Promise.all(['a', 'b', 'empty', 'new'].map(read));
  let original: Awaited<ReturnType<typeof readAll>>;

  before(async () => {
    database = await freshDatabase();
    await database.db.createCollection('empty');
    await numbered(database, 'a').createIndex({ name: 1 }, { unique: true, sparse: true });
    await numbered(database, 'a').insertMany([
      { _id: 1, name: 'one' },
      { _id: 2, ...typed },
    ]);
    await numbered(database, 'b').insertOne({ _id: 1 });
    original = await readAll();
    snapshot = await takeSnapshot(database.db);
  });
  // A collection that the snapshot does not know is emptied and stays.
  afterEach(() => database.db.dropCollection('new'));
  after(() => database.drop());

  for (const [title, [change, restored]] of Object.entries(changes))
    it(`undoes ${title}`, async () => {
      await change(database);
      expect(await restoreSnapshot(database.db, snapshot)).to.have.members(restored);
      expect(await readAll()).to.deep.equal(original);
    });

  it('keeps the indexes', async () => {
    await numbered(database, 'a').deleteMany({});
    await restoreSnapshot(database.db, snapshot);
    expect((await numbered(database, 'a').indexes()).map(({ name }) => name)).to.have.members(['_id_', 'name_1']);
  });
});
