import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { ModelRegistry } from '#store/models/model-registry.js';
import { StoredModels } from '#store/stores/model-store.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { databaseOf, jobsOf, freshDatabase } from '../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object = { title: { type: 'string' } }, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
  ...rest,
});

describe('models that change while the service runs', () => {
  let first: Serving;
  let second: Serving;
  before(async () => {
    const steady = model('steady');
    first = await serveModels({ models: [steady], documents: { steadys: [{ _id: 1, title: 'one' }] } });
    second = await serveModels({ models: [], database: first.database });
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  const models = () => first.database.db.collection<{ _id: string }>('_models');
  const put = ({ uid, ...document }: TestModel) => models().replaceOne({ _id: uid }, document, { upsert: true });
  const drop = (name: string) => models().deleteOne({ _id: `api::${name}.${name}` });

  it('are decoded when they have changed, and are the same objects until then', async () => {
    const database = databaseOf(first.database);
    const stored = new StoredModels(database);
    let before = await stored.read();
    const changes: readonly (readonly [what: string, change: () => Promise<unknown>, decoded: readonly string[]])[] = [
      ['nothing', () => Promise.resolve(), []],
      ['one in front', () => put(model('aleph')), ['api::aleph.aleph']],
      ['one behind', () => put(model('zayin')), ['api::zayin.zayin']],
      ['another form', () => put(model('aleph', { text: { type: 'text' } })), ['api::aleph.aleph']],
      ['one less and one more', () => Promise.all([drop('aleph'), put(model('beth'))]), ['api::beth.beth']],
      ['two less', () => Promise.all([drop('beth'), drop('zayin')]), []],
    ];
    for (const [what, change, decoded] of changes) {
      await change();
      stored.invalidate(null);
      const after = await stored.read();
      expect(
        after.filter((model) => !before.includes(model)).map(({ uid }) => uid),
        what,
      ).to.deep.equal(decoded);
      expect(after).to.deep.equal(await new StoredModels(database).read());
      before = after;
    }
  });

  it('are read again if they may have changed, and in their order', async () => {
    const stored = new StoredModels(databaseOf(first.database));
    const all = await stored.read();
    expect(await stored.read()).to.equal(all);
    await Promise.all([put(model('aleph')), put(model('zulu'))]);
    stored.invalidate(['api::aleph.aleph']);
    const with1 = await stored.read();
    expect(with1.map(({ uid }) => uid)).to.deep.equal(['api::aleph.aleph', ...all.map(({ uid }) => uid)]);
    expect(with1.slice(1)).to.have.ordered.members([...all]);
    stored.invalidate(['api::zulu.zulu', 'api::aleph.aleph']);
    expect((await stored.read()).map(({ uid }) => uid)).to.deep.equal([...with1.map(({ uid }) => uid), 'api::zulu.zulu']);
    await Promise.all([drop('aleph'), drop('zulu')]);
    stored.invalidate(['api::aleph.aleph']);
    stored.invalidate(['api::zulu.zulu']);
    expect(await stored.read()).to.deep.equal(all);
  });

  it('are all read after a read that failed', async () => {
    const closed = new MongoClient(first.database.uri);
    const reading = new StoredModels(databaseOf({ client: closed, db: closed.db(first.database.name) }));
    await put(model('aleph'));
    const before = await reading.read();
    await closed.close();
    await drop('aleph');
    reading.invalidate(['api::other.other']);
    expect(await reading.read().catch((error: unknown) => error)).to.be.an('error');
    await closed.connect();
    expect((await reading.read()).length).to.equal(before.length - 1);
    await closed.close();
  });

  it('are read without the other models', async function () {
    // mongos profiles nothing, and all models are read again where changes are polled
    if (first.server.backend?.store.database.isSharded === true) this.skip();
    const { db } = first.database;
    await db.command({ profile: 2 });
    await put(model('iota'));
    await untilBoth('/api/iotas', ({ status }) => status === 200);
    await db.command({ profile: 0 });
    const reads = await db
      .collection('system.profile')
      .find({ op: 'query', ns: `${db.databaseName}._models` })
      .toArray();
    // a read for what the test before has removed returns nothing
    for (const { docsExamined } of reads) expect(docsExamined).to.be.within(0, 1);
    expect(reads.filter(({ nreturned }) => nreturned === 1).length).to.be.greaterThan(1);
    await db.dropCollection('system.profile');
  });

  it('are those that are stored, even if others were expected', async () => {
    const registry = first.server.backend?.models;
    if (registry === undefined) throw new Error('no backend');
    const before = registry.inForce();
    const stored = [model('cod'), ...(await registry.readStored())];
    const after = buildRegistry(stored, defaultModelSettings, before);
    await put(model('cod', { weight: { type: 'integer' } }));
    await registry.loadModels(['api::cod.cod'], { stored, before, after });
    expect(registry.inForce()).to.not.equal(after);
    expect([...(registry.snapshot.registry.types.get('api::cod.cod')?.attributes.keys() ?? [])]).to.include('weight');
    await drop('cod');
  });

  it('are put in force from the build of a check, if they are stored unchanged', async () => {
    const jobs = jobsOf(first.database);
    const registry = new ModelRegistry(databaseOf(first.database), defaultModelSettings, jobs);
    await registry.load();
    const before = registry.inForce();
    const dab = model('dab');
    const stored = [...(await registry.readStored()), dab].sort((a, b) => Number(a.uid > b.uid) - Number(a.uid < b.uid));
    const after = buildRegistry(stored, defaultModelSettings, before);
    await put(dab);
    await registry.loadModels([dab.uid], { stored, before, after });
    expect(registry.inForce()).to.equal(after);
    await drop('dab');
    await jobs.close();
    await registry.close();
  });

  it('need no commands for what a new collection cannot have', async () => {
    const fresh = await freshDatabase();
    const jobs = jobsOf(fresh);
    const registry = new ModelRegistry(databaseOf(fresh), defaultModelSettings, jobs);
    await registry.load();
    await registry.settled();
    const store = async (attributes: object): Promise<readonly string[]> => {
      const { uid, ...document } = model('eel', attributes, { options: { draftAndPublish: true } });
      await fresh.db.collection<{ _id: string }>('_models').replaceOne({ _id: uid }, document, { upsert: true });
      const sent: string[] = [];
      const note = ({ command, commandName }: CommandStartedEvent): void => {
        const target: unknown = command[commandName];
        if (target === 'eels' || target === '_required') sent.push(`${commandName} ${target}`);
      };
      fresh.client.on('commandStarted', note);
      await registry.loadModels([uid]);
      await registry.settled();
      fresh.client.off('commandStarted', note);
      return sent;
    };
    expect(await store({ title: { type: 'string', required: true, unique: true } })).to.deep.equal([
      'createIndexes eels',
      'update _required',
    ]);
    await fresh.db.collection<{ _id: number }>('eels').insertOne({ _id: 1 });
    expect(await store({ title: { type: 'string' }, length: { type: 'integer', required: true } })).to.include.members([
      'update eels',
      'listIndexes eels',
      'find _required',
      'count eels',
    ]);
    await jobs.close();
    await registry.close();
    await fresh.drop();
  });

  /** Asks both instances until each returns the wanted answer. Throws shortly before the test times out, which would not name the path. */
  async function untilBoth(
    path: string,
    isWanted: (answer: { status: number; body: { data?: unknown } }) => boolean,
  ): Promise<void> {
    const start = performance.now();
    await Promise.all(
      [first, second].map(async (serving) => {
        while (!isWanted(await serving.call('GET', path)))
          if (performance.now() - start > 50_000) throw new Error(`${path} stays as it was`);
      }),
    );
  }

  /** 50 requests a second, half of them on each instance, while the work runs; statuses of all of them. */
  async function underLoad(work: () => Promise<unknown>): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>();
    const pending = new Set<Promise<unknown>>();
    let turn = 0;
    const timer = setInterval(() => {
      const serving = turn++ % 2 === 0 ? first : second;
      const asked = (
        turn % 5 === 0 ? serving.call('POST', '/api/steadys', { data: { title: 'x' } }) : serving.call('GET', '/api/steadys')
      )
        .then(({ status }) => status)
        .catch(() => 0);
      const request = asked
        .then((status) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
        .finally(() => pending.delete(request));
      pending.add(request);
    }, 20);
    await work();
    clearInterval(timer);
    await Promise.all(pending);
    return statuses;
  }

  const failures = (statuses: ReadonlyMap<number, number>): number[] => [...statuses.keys()].filter((status) => status !== 200);

  it('a new type answers on both instances, and no request fails', async () => {
    const statuses = await underLoad(async () => {
      for (const name of [
        'alpha',
        'beta',
        ...Array.from({ length: 10 }, (_, index) => `extra${String.fromCharCode(97 + index)}`),
      ]) {
        await put(model(name));
        await untilBoth(`/api/${name}s`, ({ status }) => status === 200);
      }
    });
    expect(failures(statuses)).to.deep.equal([]);
    expect(statuses.get(200)).to.be.greaterThan(3);
  });

  it('an entry of a new type can be written at once', async () => {
    await put(model('delta', { title: { type: 'string', unique: true } }));
    await untilBoth('/api/deltas', ({ status }) => status === 200);
    expect((await second.call('POST', '/api/deltas', { data: { title: 'x' } })).status).to.equal(200);
    expect((await first.call('POST', '/api/deltas', { data: { title: 'x' } })).body.error.message).to.equal(
      'This attribute must be unique',
    );
  });

  it('a changed type gains an attribute, and data of a removed one stay', async () => {
    await first.call('POST', '/api/alphas', { data: { title: 'kept' } });
    const changed = async (attributes: object, isWanted: (attribute: Record<string, unknown>) => boolean) => {
      const statuses = await underLoad(async () => {
        await put(model('alpha', attributes));
        await untilBoth('/api/alphas', ({ body }) =>
          isWanted((body.data as { attributes: Record<string, unknown> }[])[0]?.attributes ?? {}),
        );
      });
      expect(failures(statuses)).to.deep.equal([]);
    };
    await changed({ body: { type: 'text' } }, (attributes) => 'body' in attributes && !('title' in attributes));
    await changed({ title: { type: 'string' } }, (attributes) => attributes['title'] === 'kept');
  });

  it('a removed type is gone, its entries stay', async () => {
    const statuses = await underLoad(async () => {
      await models().deleteOne({ _id: 'api::alpha.alpha' });
      await untilBoth('/api/alphas', ({ status }) => status === 404);
    });
    expect(failures(statuses)).to.deep.equal([]);
    expect(await first.database.db.collection('alphas').countDocuments()).to.equal(1);
  });

  const bad: readonly (readonly [string, object, RegExp])[] = [
    ['an attribute without a type', { attributes: { title: {} } }, /type/],
    ['an unknown attribute type', { attributes: { title: { type: 'strong' } } }, /strong/],
    ['no attributes', { attributes: null }, /attributes/],
    ['the name of another type', { info: { singularName: 'steady', pluralName: 'steadys' } }, /steady/],
  ];
  for (const [what, part, reason] of bad)
    it(`a bad model, with ${what}, leaves the former one in force and says why`, async () => {
      await put(model('beta', { title: { type: 'string' } }));
      await untilBoth('/api/betas', ({ status }) => status === 200);
      const statusOf = () => first.database.db.collection('_model_status').find({ uid: 'api::beta.beta' }).toArray();
      const statuses = await underLoad(async () => {
        await put({ ...model('beta'), ...part });
        for (let rows = await statusOf(); !rows.some(({ state }) => state === 'refused'); rows = await statusOf());
      });
      expect(failures(statuses)).to.deep.equal([]);
      expect(JSON.stringify((await statusOf()).map(({ problems }) => problems as unknown))).to.match(reason);
      for (const serving of [first, second]) expect((await serving.call('GET', '/api/betas')).status).to.equal(200);
      expect(await models().findOne({ _id: 'api::beta.beta' })).to.not.have.any.keys('problems', 'state');
      await put(model('beta'));
      for (let rows = await statusOf(); !rows.every(({ state }) => state === 'active'); rows = await statusOf());
    });

  it('a relation to a missing type is served as soon as the type exists', async () => {
    const link = { type: 'relation', relation: 'manyToOne', target: 'api::later.later' };
    await put(model('eta', { title: { type: 'string' }, link }));
    await untilBoth('/api/etas', ({ status }) => status === 200);
    const { body } = await first.call('POST', '/api/etas', { data: { title: 'x', link: 1 } });
    expect(await first.call('GET', `/api/etas/${String(body.data.id)}?populate=link`)).to.not.have.nested.property(
      'body.data.attributes.link',
    );
    await put(model('later'));
    await untilBoth('/api/laters', ({ status }) => status === 200);
    const later = await second.call('POST', '/api/laters', { data: { title: 'y' } });
    await second.call('PUT', `/api/etas/${String(body.data.id)}`, { data: { link: later.body.data.id } });
    const answer = await first.call('GET', `/api/etas/${String(body.data.id)}?populate=link`);
    expect(answer.body.data.attributes.link.data.attributes.title).to.equal('y');
  });

  it('draft & publish turned on: entries count as published, also those written meanwhile', async () => {
    const created = await turnOn('epsilon', { options: { draftAndPublish: true } }, 'publishedAt');
    const entries = await untilAll('epsilon', created);
    expect(entries.filter(({ attributes }) => attributes['publishedAt'] === null)).to.deep.equal([]);
  });

  it('localization turned on: entries are in the default locale, also those written meanwhile', async () => {
    const created = await turnOn('zeta', { pluginOptions: { i18n: { localized: true } } }, 'locale');
    await untilAll('zeta', created);
    const stored = await first.database.db.collection('zetas').find().toArray();
    expect(new Set(stored.map(({ locale }) => locale as unknown))).to.deep.equal(new Set(['en']));
    expect(new Set(stored.map(({ _group }) => _group as unknown)).size).to.equal(stored.length);
  });

  /** Lists until no entry is missing; an instance may have written some in the former form a moment ago. */
  async function untilAll(name: string, ids: readonly number[]): Promise<{ attributes: Record<string, unknown> }[]> {
    for (;;) {
      const { body } = await first.call('GET', `/api/${name}s?pagination[pageSize]=1000`);
      if (body.data.length === ids.length) return body.data as { attributes: Record<string, unknown> }[];
    }
  }

  /** Creates entries on both instances all the while the option is turned on; their ids. */
  async function turnOn(name: string, option: object, attribute: string): Promise<number[]> {
    await put(model(name));
    await untilBoth(`/api/${name}s`, ({ status }) => status === 200);
    const created: number[] = [];
    let open = true;
    const write = async (serving: Serving): Promise<void> => {
      while (open) {
        const { status, body } = await serving.call('POST', `/api/${name}s`, { data: { title: 'x' } });
        expect(status).to.equal(200);
        created.push(body.data.id as number);
      }
    };
    const writers = [write(first), write(second), write(first), write(second)];
    await put(model(name, { title: { type: 'string' } }, option));
    await untilBoth(`/api/${name}s?pagination[pageSize]=1`, ({ body }) => {
      const [entry] = body.data as { attributes: object }[];
      return entry !== undefined && attribute in entry.attributes;
    });
    open = false;
    await Promise.all(writers);
    return created;
  }
});
