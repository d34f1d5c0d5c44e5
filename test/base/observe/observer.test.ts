import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { connectDatabase } from '#store/send/connection.js';
import type { Observation } from '#base/observe/observation.js';
import { Observer } from '#base/observe/observer.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';

describe('The observer', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  it('passes each observation to the consumers of its kind, in their order', () => {
    const seen: string[] = [];
    const observer = new Observer({ 'database found': () => void seen.push('first') });
    observer.add({
      'database found': () => void seen.push('second'),
      'schema postponed': ({ reason }) => void seen.push(reason),
    });
    const observed: readonly Observation[] = [
      { kind: 'database found' },
      { kind: 'schema postponed', reason: 'third' },
      { kind: 'budget refused', limit: 'nobody counts them' },
    ];
    for (const one of observed) observer.observe(one);
    expect(seen).to.deep.equal(['first', 'second', 'third']);
    expect([observer.hasConsumer('schema postponed'), observer.hasConsumer('budget refused')]).to.deep.equal([true, false]);
  });

  const commands: readonly (readonly [command: object, expected: readonly unknown[]])[] = [
    [{ ping: 1 }, ['ping', null, false]],
    [{ find: 'eels' }, ['find', 'eels', false]],
    [{ aggregate: 'eels', pipeline: [{ $none: 1 }], cursor: {} }, ['aggregate', 'eels', true]],
  ];
  for (const [command, expected] of commands)
    it(`reports the command ${JSON.stringify(command)}`, async () => {
      const ended: (readonly unknown[])[] = [];
      const observer = new Observer({
        'command ended': ({ command: name, collection, isFailed, ms }) => {
          expect(ms).to.be.at.least(0);
          ended.push([name, collection, isFailed]);
        },
      });
      const database = await connectDatabase(fresh.uri, createConfig({}).database, { collections: [], observer });
      await database.db.command(command).catch(() => undefined);
      await database.client.close();
      expect(ended).to.deep.include(expected);
    });
});
