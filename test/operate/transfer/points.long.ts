import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type BackupFolder, makeFolder } from '../backup/backups.js';

const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
const models = [
  { uid: 'of.stop', info: { displayName: 'Stop' }, attributes: { at: { type: 'point' } } },
  collectionType('trip', {
    name: { type: 'string', collation: 'de', index: true },
    at: { type: 'point' },
    start: { type: 'component', component: 'of.stop' },
    stops: { type: 'component', component: 'of.stop', repeatable: true },
  }),
];
const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const trips = [
  {
    _id: 1,
    name: 'Zug',
    at: point(2.35, 48.85),
    start: { id: 1, at: point(1, 1) },
    stops: [{ id: 1, at: point(2, 2) }],
    ...times,
  },
  { _id: 2, name: 'Ärmel', at: point(-180, 90), start: { id: 1, at: null }, stops: [], ...times },
  { _id: 3, name: 'apfel', at: null, start: null, stops: [{ id: 1, at: null }], ...times },
];

describe('points and collations', () => {
  let folder: BackupFolder;
  let source: Serving;
  let target: FreshDatabase;
  before(async () => {
    folder = await makeFolder();
    source = await serveModels({ models, documents: { trips } });
  });
  after(async () => {
    await source.stop();
    await folder.remove();
  });
  beforeEach(async () => {
    target = await freshDatabase();
  });

  const answersOf = async ({ call }: Pick<Serving, 'call'>) => {
    const near = 'filters[at][$near][lng]=2&filters[at][$near][lat]=48';
    const all = 'populate=*&fields[0]=name&fields[1]=at';
    const paths = [`?${near}&${all}`, `?sort=name&${all}`, '?filters[stops][at][$within][box]=0,0,3,3'];
    return Promise.all(paths.map(async (path) => (await call('GET', `/api/trips${path}`)).body.data));
  };

  /** Expects that a service over the other database answers the same, with the same indexes. */
  async function expectSame(): Promise<void> {
    const serving = await serveModels({ models: [], database: target });
    try {
      await serving.settled();
      const [near, sorted, within] = await answersOf(serving);
      expect([near, sorted, within]).to.deep.equal(await answersOf(source));
      expect(sorted.map(({ id }: { id: number }) => id)).to.deep.equal([3, 2, 1]);
      expect([near[0].attributes.at, near.length, within.length]).to.deep.equal([{ lng: 2.35, lat: 48.85 }, 2, 1]);
      const names = (await target.db.collection('trips').indexes()).map(({ name }) => name);
      expect(names).to.include.members(['mangrove_at_2dsphere', 'mangrove_start.at_2dsphere', 'mangrove_name-__id-_de']);
      const stored = await target.db.collection('trips').find().sort({ _id: 1 }).toArray();
      expect(stored.map(({ at }) => at)).to.deep.equal(trips.map(({ at }) => at));
    } finally {
      await serving.stop();
    }
  }

  it('come back from an archive', async () => {
    expect((await folder.run(source.database, 'export', 'trips.tar')).exitCode).to.equal(0);
    const { exitCode, stdout } = await folder.run(target, 'import', 'trips.tar');
    expect([exitCode, stdout.includes('not imported')]).to.deep.equal([0, false]);
    await expectSame();
  });

  it('come back from a backup', async () => {
    expect((await folder.run(source.database, 'backup', 'trips.backup.gz')).exitCode).to.equal(0);
    expect((await folder.run(target, 'restore', 'trips.backup.gz')).exitCode).to.equal(0);
    await expectSame();
  });
});
