import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { Receiver } from '../../support/receiver.js';
import { serveHooks, type HookServing } from './webhook-kit.js';

describe('webhooks of several instances', () => {
  let database: FreshDatabase;
  let receiver: Receiver;
  let instances: HookServing[];
  beforeEach(async () => {
    database = await freshDatabase();
    receiver = new Receiver();
    await receiver.listen();
    instances = [await serveHooks({ database }), await serveHooks({ database })];
  });
  afterEach(async () => {
    await Promise.all(instances.map(({ stop }) => stop()));
    await receiver.close();
    await database.drop();
  });

  const [first, second] = [() => instances[0] as HookServing, () => instances[1] as HookServing]; // made before each test
  const create = async (on: HookServing): Promise<number> => {
    const body = { name: 'hook', url: receiver.url(), events: ['entry.create', 'entry.update'] };
    const { data } = (await on.admin('POST', '/webhooks', body)).body;
    await Promise.all(instances.map(({ settled }) => settled()));
    return data.id;
  };
  const note = (on: HookServing, title: string) => on.call('POST', '/api/others', { data: { title } });
  const titles = () => receiver.received.map(({ body }) => body.data.entry.title);

  it('tell of changes on every instance, each once', async () => {
    await create(first());
    await note(first(), 'a');
    await note(second(), 'b');
    await receiver.until(2);
    expect(titles().sort()).to.deep.equal(['a', 'b']);
  });

  it('tell of the tags of changes once for all instances', async () => {
    await first().admin('POST', '/webhooks', { name: 'cdn', url: receiver.url(), events: ['cache.purge'] });
    await Promise.all(instances.map(({ settled }) => settled()));
    for (const on of [first(), second()]) await note(on, 'a');
    const tags = () => receiver.received.flatMap(({ body }) => body.data.tags as string[]);
    await receiver.until(() => tags().includes('other:1') && tags().includes('other:2'));
    expect(
      tags()
        .filter((tag) => tag.includes(':'))
        .sort(),
    ).to.deep.equal(['other:1', 'other:2']);
  });

  it('are delivered by another instance when one stops', async () => {
    await create(first());
    await note(first(), 'a');
    await receiver.until(1);
    for (const instance of [first(), second()]) {
      const other = instance === first() ? second() : first();
      await note(other, 'b');
      await instance.server.stop();
      if (instance === first()) instances[0] = await serveHooks({ database });
      await receiver.until((all) => all.filter(({ body }) => body.data.entry.title === 'b').length > 0);
      receiver.received.length = 0;
    }
  });

  it('survive a restart of all instances with their attempts', async () => {
    const { port } = receiver;
    await create(first());
    await receiver.close();
    await note(first(), 'a');
    const rows = database.db.collection('_webhook_deliveries');
    for (let row = await rows.findOne(); row?.['attempts'] === 0; row = await rows.findOne());
    await Promise.all(instances.map(({ server }) => server.stop()));
    await rows.updateOne({}, { $set: { status: 'pending', attempts: 2 } });
    receiver = new Receiver();
    await receiver.listen(port);
    instances = [await serveHooks({ database })];
    await receiver.until(1);
    for (let row = await rows.findOne(); row?.['status'] === 'pending'; row = await rows.findOne());
    expect(await rows.findOne()).to.include({ status: 'delivered', attempts: 3 });
  });
});
