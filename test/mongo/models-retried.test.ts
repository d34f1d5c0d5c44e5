import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveModels, type Serving, storeModels, type TestModel } from '../support/serve.js';

const model = (name: string): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' } },
});

/** Longer than all pauses of the test together. */
const patience = 15_000;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await delay(20);
  }
}

describe('models that could not be loaded', () => {
  let log: Log;
  let serving: Serving;
  before(async () => {
    log = await createLog();
    serving = await serveModels({ models: [model('steady')], logger: log.logger });
  });
  after(() => serving.stop());

  /** Makes MongoDB refuse writes to a collection, or take them again. */
  const refuseWrites = (collection: string, refused: boolean) =>
    serving.database.db.command({ collMod: collection, validator: refused ? { $expr: false } : {} });

  const failedLoads = () => log.lines.filter(({ msg }) => String(msg).startsWith('models could not be read')).length;

  for (const [name, collection] of [
    ['fresh', '_collections'],
    ['later', '_model_status'],
  ] as const)
    it(`are loaded again without another change, after writes to ${collection} failed`, async () => {
      const before = failedLoads();
      await refuseWrites(collection, true);
      await storeModels(serving.database, [model(name)]);
      await until('a load has failed', () => failedLoads() > before);
      await refuseWrites(collection, false);
      await until('the model is served', async () => (await serving.call('GET', `/api/${name}s`)).status === 200);
      const states = serving.database.db.collection('_model_status');
      await until(
        'its state is written',
        async () => (await states.countDocuments({ uid: `api::${name}.${name}`, state: 'active' })) === 1,
      );
      expect(failedLoads()).to.be.greaterThan(before);
    });
});
