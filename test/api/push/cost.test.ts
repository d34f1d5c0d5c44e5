import { expect } from 'chai';
import { commandsDuring } from '../../support/explain.js';
import { newKey, servePush, type ServingPush } from './push-kit.js';

const sent: readonly string[] = ['insert', 'find', 'findAndModify', 'update', 'aggregate', 'delete'];

describe('the commands of a push', () => {
  let service: ServingPush;
  before(async () => {
    service = await servePush();
  });
  after(() => service.stop());

  /** Returns the commands of a warm push. */
  const commandsOf = async (...writes: readonly ((round: number) => object)[]): Promise<readonly string[]> => {
    const send = (round: number) =>
      service.push(service.full, ...writes.map((write) => write(round) as Parameters<ServingPush['push']>[1]));
    for (const { status } of await send(0)) expect(status).to.equal('applied');
    await service.settled();
    const { client } = service.server.backend?.store.database ?? {};
    const { result, commands } = await commandsDuring(client, sent, () => send(1));
    for (const { status } of result) expect(status).to.equal('applied');
    return commands
      .map((command) => {
        const name = sent.find((one) => one in command) ?? '';
        return `${name} ${String(command[name])}`;
      })
      .filter((one) => /(_idempotency_keys|guards|articles|tags)$/.test(one));
  };
  /** The command that looks up the keys and the names of a push. */
  const lookUp = 'find _idempotency_keys';
  /** The commands of a write with a key. */
  const keyed = (...commands: readonly string[]): readonly string[] => [
    'insert _idempotency_keys',
    ...commands,
    'update _idempotency_keys',
  ];
  const round = (n: number): string => `round ${String(n)}`;

  it('are those of a request with a key for each write, also if scalars are compared', async () => {
    const memos = [await service.make('guards', { text: 'round -1' }), await service.make('guards', { text: 'round -1' })];
    const update = (id: number) => (n: number) => ({
      ...{ op: 'update', type: 'guards', id, key: newKey() },
      set: { text: { from: round(n - 1), to: round(n) } },
    });
    expect(await commandsOf(...memos.map(update))).to.deep.equal([
      lookUp,
      ...keyed('findAndModify guards'),
      ...keyed('findAndModify guards'),
    ]);
  });

  it('read the entry before what depends on it: increments, relations and components', async () => {
    const id = await service.make('articles', { title: 'x', views: 0 });
    const update = (more: (n: number) => object) => (n: number) => ({
      op: 'update',
      type: 'articles',
      id,
      key: newKey(),
      ...more(n),
    });
    expect(await commandsOf(update(() => ({ increment: { views: 1 } })))).to.deep.equal([
      lookUp,
      ...keyed('find articles', 'findAndModify articles'),
    ]);
  });

  it('look up all keys and names of a push at once', async () => {
    const create = (name: string) => (n: number) => ({
      ...{ op: 'create', type: 'tags', id: `$${name}-${String(n)}-of-the-test`, key: newKey() },
      set: { name: { to: name } },
    });
    const commands = await commandsOf(create('one'), create('two'));
    const one = keyed('insert tags', 'insert _idempotency_keys');
    expect(commands).to.deep.equal([lookUp, ...one, ...one]);
  });
});
