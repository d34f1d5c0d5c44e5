import { expect } from 'chai';
import { commandsDuring } from '../../support/explain.js';
import { storeModels, type TestModel } from '../../support/serve.js';
import { newKey, pushModels, type PushedWrite, servePush, type ServingPush } from './push-kit.js';

const modelOf = (uid: string): TestModel => {
  const model = pushModels.find((one) => one.uid === uid);
  if (model === undefined) throw new Error(`no model ${uid}`);
  return model;
};

describe('a push that is repeated after its surroundings have changed', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  /** Stores a model, and waits until a path is served, or is no longer. */
  const store = async (model: TestModel, path: string, isServed: boolean): Promise<void> => {
    await storeModels(service.database, [model]);
    for (let looks = 0; looks < 500; looks++) {
      await service.settled();
      if (((await service.as(service.full, 'GET', `/api/${path}`)).status === 200) === isServed) return;
    }
    throw new Error(`${path} is not as it was stored`);
  };
  const tag = (name: string) =>
    ({ op: 'create', type: 'tags', id: `$tag-${name}`, key: newKey(), set: { name: { to: name } } }) as const;
  const named = (name: string): PushedWrite => ({
    op: 'update',
    type: 'tags',
    id: `$tag-${name}`,
    key: newKey(),
    set: { name: { to: 'new' } },
  });

  it('answers as before if the type is not synced any more, or has another path', async () => {
    const writes = [tag('of-a-type'), named('of-a-type')];
    const first = await service.push(service.full, ...writes);
    expect(first.map(({ status }) => status)).to.deep.equal(['applied', 'applied']);
    const model = modelOf('api::tag.tag');
    const labels = { ...model, info: { singularName: 'label', pluralName: 'labels', displayName: 'Label' } };
    for (const changed of [{ ...model, pluginOptions: {} }, labels]) {
      await store(changed, changed === labels ? 'tags' : 'sync/tags', false);
      expect(await service.push(service.full, ...writes)).to.deep.equal(first);
      const [other] = await service.push(service.full, named('of-a-type'));
      expect(other?.error).to.include({ status: 404 });
      const key = writes[1]?.['key'];
      const wrong = await service.pushOne({ op: 'update', type: 'tags', id: 1, key, set: {} });
      expect(wrong.error).to.include({ status: 422 });
    }
    await store(model, 'tags', true);
  });

  it('answers as before if a name has expired, and goes on after the write', async () => {
    const other = await service.make('articles', { title: 'x' });
    const writes: readonly PushedWrite[] = [
      named('expired'),
      { op: 'update', type: 'articles', id: other, key: newKey(), add: { tags: ['$tag-expired'] } },
    ];
    const made = await service.pushOne(tag('expired'));
    const first = await service.push(service.full, ...writes);
    expect(first.map(({ status }) => status)).to.deep.equal(['applied', 'applied']);
    const keys = service.database.db.collection('_idempotency_keys');
    const { modifiedCount } = await keys.updateMany(
      { head: JSON.stringify({ id: made.id }) },
      { $set: { expiresAt: new Date(0) } },
    );
    expect(modifiedCount).to.equal(1);
    expect(await service.push(service.full, ...writes)).to.deep.equal(first);
    expect(await service.pushOne(named('expired'))).to.include({ status: 'waiting' });
  });

  it('answers as before behind a write that is not applied now', async () => {
    const id = await service.make('articles', { title: 'Salt', views: 0 });
    const increment = { op: 'update', type: 'articles', id, key: newKey(), increment: { views: 1 } } as const;
    const first = await service.pushOne(increment);
    const conflict = { op: 'update', type: 'articles', id, set: { title: { from: 'x', to: 'y' } } } as const;
    const [, second] = await service.push(service.full, conflict, increment);
    expect(second).to.deep.equal(first);
    expect((await service.read('articles', id)).views).to.equal(1);
  });

  it('knows names and keys by the new uid of a type', async () => {
    const write = { op: 'create', type: 'memos', id: '$a-memo-by-name', key: newKey(), set: { text: { to: 'a' } } } as const;
    const first = await service.pushOne(write);
    const model = {
      ...modelOf('api::memo.memo'),
      uid: 'api::card.card',
      info: { singularName: 'card', pluralName: 'cards', displayName: 'Card' },
      renamedFrom: 'api::memo.memo',
    };
    await store(model, 'cards', true);
    expect(await service.pushOne(write)).to.deep.equal(first);
    const later = await service.pushOne({ op: 'update', type: 'cards', id: '$a-memo-by-name', set: { text: { to: 'b' } } });
    expect(later, JSON.stringify(later)).to.deep.include({ status: 'applied', id: first.id });
  });

  it('spends the budget, so that its answers are bounded', async () => {
    const limited = await servePush({ config: { api: { limits: { answerBytes: 1_000 } } } });
    const writes = ['a', 'b', 'c', 'd', 'e', 'f'].map((title) => ({
      ...{ op: 'create', type: 'articles', id: `$entry-${title}`, key: newKey() },
      set: { title: { to: title } },
    })) as readonly PushedWrite[];
    for (const write of writes) expect((await limited.pushOne(write)).status).to.equal('applied');
    await limited.settled();
    const { client } = limited.server.backend?.store.database ?? {};
    const { result, commands } = await commandsDuring(client, ['find'], () => limited.push(limited.full, ...writes));
    await limited.stop();
    const again = result.map(({ status }) => status);
    const read = commands.filter(({ find }) => find === '_idempotency_keys').length - 1; // without that of all keys
    expect(read, 'answers that are read').to.equal(again.filter((status) => status === 'applied').length + 1);
    expect(read).to.be.below(writes.length);
    expect(again[0]).to.equal('applied');
    expect(again.at(-1)).to.equal('waiting');
  });
});
