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

  const failuresOf = (message: string) => log.lines.filter(({ msg }) => msg === message).length;

  for (const [name, collection, message] of [
    ['fresh', '_collections', 'models could not be loaded, the former ones remain in force for now'],
    ['later', '_model_status', 'the state of the models could not be written to _model_status'],
  ] as const)
    it(`are loaded again without another change, after writes to ${collection} failed`, async () => {
      const before = log.lines.length;
      await refuseWrites(collection, true);
      await storeModels(serving.database, [model(name)]);
      await until('it is logged twice', () => failuresOf(message) > 1);
      await refuseWrites(collection, false);
      await until('the model is served', async () => (await serving.call('GET', `/api/${name}s`)).status === 200);
      const states = serving.database.db.collection('_model_status');
      await until(
        'its state is written',
        async () => (await states.countDocuments({ uid: `api::${name}.${name}`, state: 'active' })) === 1,
      );
      const failures = log.lines.slice(before).filter(({ msg }) => String(msg).includes('could not be'));
      expect(new Set(failures.map(({ msg }) => msg))).to.deep.equal(new Set([message]));
    });
});
