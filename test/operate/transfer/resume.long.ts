import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import type { ImportContext } from '#operate/transfer/import-run.js';
import { abandonImport, prepareImport, runImport } from '#operate/transfer/run-import.js';
import type { Source } from '#operate/transfer/source.js';
import type { FreshDatabase } from '../../support/mongo.js';
import { packArchive } from '../../support/pack-archive.js';
import { sampleArchive } from '../../support/sample-archive.js';
import { closeContext, cutShort, importAll, inFresh, openContext } from './importing.js';

describe('an interrupted import', () => {
  let directory: string;
  let source: Source;
  let expected: unknown;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-resume-'));
    const file = join(directory, 'export.tar');
    await packArchive(file, sampleArchive);
    source = await openArchive({ file, key: null });
    expected = await inFresh((context) => importAll(source, context));
  });
  after(() => rm(directory, { recursive: true }));

  const cut = async (context: ImportContext, stage: string, records: number): Promise<unknown> => {
    const prepared = await prepareImport(source, context);
    return runImport({ ...prepared, source: cutShort(source, stage, records) }, context, { replace: true }).catch(String);
  };

  const cuts = [
    ['links', 9],
    ['entities', 4],
    ['entities', 16],
    ['assets', 2],
  ] as const;

  it('has the same result when it is run again', async () => {
    const found = await inFresh(async (context) => {
      const { db } = context.store.database;
      for (const [stage, records] of cuts) {
        expect(await cut(context, stage, records), stage).to.equal('Error: cut short');
        expect(await db.collection('storys').countDocuments()).to.equal(0);
        expect(await db.collection('_models').countDocuments()).to.equal(0);
      }
      await importAll(source, context);
    });
    expect(found).to.deep.equal(expected);
  });

  it('has the same result whichever write is its last, and publishes whole types only', async () => {
    const whole = expected as ReadonlyMap<string, readonly unknown[]>;
    const stages = new Set<unknown>();
    const found = await inFresh(async (_, fresh) => {
      for (let writes = 5; await isCutAfter(writes, source, fresh); writes += 2) {
        stages.add((await fresh.db.collection('_imports').findOne({ state: 'running' }))?.['stage']);
        for (const name of ['storys', 'writers', 'topics', 'front', 'files', 'up_users'])
          expect(await fresh.db.collection(name).countDocuments(), name).to.be.oneOf([0, whole.get(name)?.length]);
      }
    });
    expect([...stages]).to.include.members(['links', 'entities', 'publish']);
    expect(found).to.deep.equal(expected);
  });

  it('is not mixed with another import, and can be abandoned', async () => {
    const found = await inFresh(async (context) => {
      await importAll(source, context);
      expect(await cut(context, 'assets', 1)).to.equal('Error: cut short');
      const other = await prepareImport({ ...source, identity: 'other' }, context);
      const refused = await runImport(other, context, { replace: true }).catch(String);
      expect(refused).to.match(/was interrupted: run it again, or abandon it/);
      await abandonImport(context);
    });
    expect(found).to.deep.equal(expected);
  });

  it('is written by one process: one that has lost the claim publishes nothing', async () => {
    const found = await inFresh(async (context, fresh) => {
      const first = await openContext(fresh);
      const { stopped, goOn, source: held } = holdAt(source, 'entities', 12);
      const prepared = await prepareImport(source, first);
      const lost = runImport({ ...prepared, source: held }, first, { replace: false }).catch(String);
      await stopped;
      await importAll(source, context);
      await fresh.db.collection<{ _id: number }>('storys').updateOne({ _id: 10 }, { $set: { title: 'later' } });
      goOn();
      expect(await lost).to.match(/another process has taken over the import/);
      expect(await fresh.db.collection('storys').findOne({ title: 'later' })).to.not.equal(null);
      await fresh.db.collection<{ _id: number }>('storys').updateOne({ _id: 10 }, { $set: { title: 'Salt' } });
      await closeContext(first);
      await dropLate(fresh);
    });
    expect(found).to.deep.equal(expected);
  });

  it('starts once if two start at the same time', async () => {
    const found = await inFresh(async (context, fresh) => {
      const other = await openContext(fresh);
      const prepared = await Promise.all([prepareImport(source, context), prepareImport({ ...source, identity: 'x' }, other)]);
      const [one, two] = prepared;
      const ends = await Promise.all([
        runImport(one, context, { replace: true }).then(() => 'done', String),
        runImport(two, other, { replace: true }).then(() => 'done', String),
      ]);
      expect(ends.sort()).to.deep.equal(['Error: another import has just begun', 'done']);
      await closeContext(other);
    });
    expect(found).to.deep.equal(expected);
  });

  it('stops before anything is published if its staged data are gone', async () => {
    await inFresh(async (context) => {
      const { db } = context.store.database;
      expect(await cut(context, 'assets', 1)).to.equal('Error: cut short');
      const names = (await db.listCollections({ name: /^_import_.*_storys$/ }).toArray()).map(({ name }) => name);
      await db.collection(names[0] ?? '').deleteOne({});
      expect(await importAll(source, context).catch(String)).to.match(/has only 2 of 3 staged documents: abandon the import/);
      expect(await db.collection('writers').countDocuments()).to.equal(0);
      expect((await abandonImport(context))?.stage).to.equal('assets');
      await importAll(source, context);
    });
  });

  it('keeps entries that were created meanwhile', async () => {
    await inFresh(async (context) => {
      const { db } = context.store.database;
      expect(await cut(context, 'assets', 1)).to.equal('Error: cut short');
      const [users, writers] = [db.collection<Numbered>('up_users'), db.collection<Numbered>('writers')];
      await users.insertOne({ _id: 1, username: 'me' });
      expect(await importAll(source, context).catch(String)).to.match(/these collections have entries: up_users/);
      await writers.insertOne({ _id: 1 });
      expect(await importAll(source, context).catch(String)).to.match(
        /api::writer.writer .* is no longer imported: the model is refused/,
      );
      expect([await users.findOne({}), await writers.findOne({})]).to.deep.equal([{ _id: 1, username: 'me' }, { _id: 1 }]);
      await writers.deleteMany({});
      await importAll(source, context, true);
      expect([await users.countDocuments(), await writers.countDocuments()]).to.deep.equal([1, 2]);
    });
  });

  it('is taken over from a process that is silent, even if its number belongs to another one now', async () => {
    await inFresh(async (context, { db }) => {
      const imports = db.collection('_imports');
      expect(await cut(context, 'entities', 9)).to.equal('Error: cut short');
      await imports.updateOne({}, { $set: { 'runner.pid': process.ppid }, $currentDate: { aliveAt: true } });
      expect(await importAll(source, context).catch(String)).to.match(
        /is under way in process \d+ on .*after its last heartbeat/,
      );
      expect(await abandonImport(context).catch(String)).to.match(/is under way/);
      await imports.updateOne({}, [{ $set: { aliveAt: { $subtract: ['$$NOW', 61_000] } } }]);
      await importAll(source, context);
    });
  });
});

type Numbered = Document & { readonly _id: number };

const writing: ReadonlySet<string> = new Set([
  ...['insert', 'update', 'delete', 'findAndModify', 'create', 'createIndexes', 'renameCollection', 'drop', 'commitTransaction'],
]);

/** Runs an import as a process that loses its database with the n-th write. Returns whether it was interrupted. */
async function isCutAfter(writes: number, source: Source, fresh: FreshDatabase): Promise<boolean> {
  const uri = new URL(fresh.uri);
  uri.searchParams.set('monitorCommands', 'true');
  const context = await openContext({ uri: uri.href });
  const { client } = context.store.database;

  let left = writes;
  client.on('commandStarted', ({ commandName }) => {
    if (writing.has(commandName) && --left === 0) void client.close(true);
  });
  try {
    await importAll(source, context);
    return false;
  } catch (error) {
    if (left > 0) throw error;
    return true;
  } finally {
    await closeContext(context);
  }
}

/** A source that stops before a record until it is told to go on. */
function holdAt(source: Source, stage: string, records: number) {
  const [going, stopped] = [new EventEmitter(), new EventEmitter()];
  const goOn = once(going, 'on');
  const held: Source = {
    ...source,
    read: async function* (stages, behind) {
      let count = 0;
      for await (const record of source.read(stages, behind)) {
        if (record.stage === stage && count++ === records) {
          stopped.emit('on');
          await goOn;
        }
        yield record;
      }
    },
  };
  return { goOn: () => going.emit('on'), stopped: once(stopped, 'on'), source: held };
}

/** What a process that has lost its import may leave behind; the next import drops it. */
async function dropLate({ db }: FreshDatabase): Promise<void> {
  const late = (await db.listCollections({ name: /^_import_/ }).toArray()).map(({ name }) => name);
  for (const name of late) await db.dropCollection(name);
}
