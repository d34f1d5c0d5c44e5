import { expect } from 'chai';
import { serveModels, storeModels, type Answer, type Serving, type TestModel } from '../../support/serve.js';

const model = (name: string, attributes: object = { title: { type: 'string' } }): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});

const steady = '{ steadys(sort: "id") { data { id attributes { title } } meta { pagination { total } } } }';
const steadyAnswer = {
  data: { steadys: { data: [{ id: '1', attributes: { title: 'one' } }], meta: { pagination: { total: 1 } } } },
};

describe('GraphQL while models change', () => {
  let first: Serving;
  let second: Serving;

  before(async () => {
    first = await serveModels({ models: [model('steady')], documents: { steadys: [{ _id: 1, title: 'one' }] } });
    second = await serveModels({ models: [], database: first.database });
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  const ask = (serving: Serving, query: string): Promise<Answer> => serving.call('POST', '/graphql', { query });

  /** Repeats a query until an instance answers without error. Throws shortly before the test times out, to name the query. */
  async function untilKnown(serving: Serving, query: string): Promise<unknown> {
    const start = performance.now();
    for (;;) {
      const { status, body } = await ask(serving, query);
      if (status === 200) return body;
      if (performance.now() - start > 50_000) throw new Error(`${query} stays unknown: ${JSON.stringify(body)}`);
    }
  }

  /** Sends a query to both instances again and again while the work runs; the answers of each, in order. */
  async function meanwhile(query: string, work: () => Promise<void>): Promise<Answer[][]> {
    let isDone = false;
    const keepAsking = async (serving: Serving): Promise<Answer[]> => {
      const answers: Answer[] = [];
      while (!isDone) answers.push(await ask(serving, query));
      return answers;
    };
    const asking = [first, second].map(keepAsking);
    await work().finally(() => {
      isDone = true;
    });
    return Promise.all(asking);
  }

  it('answers a relation whose other side is missing as empty', async () => {
    const relation = (kind: string) => ({ type: 'relation', relation: kind, target: 'api::steady.steady', mappedBy: 'none' });
    const loose = model('loose', { title: { type: 'string' }, many: relation('oneToMany'), one: relation('oneToOne') });
    const serving = await serveModels({ models: [model('steady'), loose], documents: { looses: [{ _id: 1, title: 'one' }] } });
    const { body } = await ask(serving, '{ looses { data { attributes { title many { data { id } } one { data { id } } } } } }');
    await serving.stop();
    expect(body).to.deep.equal({
      data: { looses: { data: [{ attributes: { title: 'one', many: { data: [] }, one: { data: null } } }] } },
    });
  });

  it('a query names a new type on each instance that reports it', async () => {
    for (const name of ['first', 'second', 'third']) {
      await Promise.all([first, second].map((serving) => ask(serving, steady)));
      await storeModels(first.database, [model(name)]);
      const reported = first.database.db.collection('_model_status');
      while ((await reported.countDocuments({ uid: `api::${name}.${name}`, state: 'active' })) < 2)
        await new Promise(setImmediate);
      for (const serving of [second, first]) expect((await ask(serving, `{ ${name}s { data { id } } }`)).status).to.equal(200);
    }
  });

  it('a query names a new type on both instances, and no other request notices', async () => {
    const answers = await meanwhile(steady, async () => {
      for (const name of ['alpha', 'beta', 'gamma']) {
        await storeModels(first.database, [model(name)]);
        const query = `{ ${name}s { data { id attributes { title } } meta { pagination { total } } } }`;
        const empty = { data: { [`${name}s`]: { data: [], meta: { pagination: { total: 0 } } } } };
        for (const serving of [first, second]) expect(await untilKnown(serving, query)).to.deep.equal(empty);
      }
    });
    for (const ofOne of answers) expect(ofOne.length).to.be.greaterThan(2);
    for (const answer of answers.flat()) expect(answer).to.deep.equal({ status: 200, body: steadyAnswer });
  });

  it('entries of a new type are written through one instance and read through the other', async () => {
    const tag = model('tag', { label: { type: 'string' } });
    const link = { type: 'relation', relation: 'manyToMany', target: tag.uid };
    await storeModels(first.database, [tag, model('note', { title: { type: 'string' }, tags: link })]);
    const query = '{ notes { data { attributes { title tags { data { attributes { label } } } } } } }';
    await Promise.all([first, second].map((serving) => untilKnown(serving, query)));
    const written = await ask(first, 'mutation { createTag(data: { label: "new" }) { data { id } } }');
    const { id } = written.body.data.createTag.data;
    await ask(second, `mutation { createNote(data: { title: "hot", tags: ["${String(id)}"] }) { data { id } } }`);
    const { body } = await ask(first, query);
    const attributes = { title: 'hot', tags: { data: [{ attributes: { label: 'new' } }] } };
    expect(body).to.deep.equal({ data: { notes: { data: [{ attributes }] } } });
  });

  it('a changed type has its old form or its new one, and never the old one again', async () => {
    const stored = { _id: 1, title: 'old', body: 'new' };
    await first.database.db.collection<typeof stored>('alphas').insertOne(stored);
    const [before, after] = [
      '{ alphas { data { attributes { title } } } }',
      '{ alphas { data { attributes { body } } } }',
    ] as const;
    const answerWith = (attributes: object) => ({ data: { alphas: { data: [{ attributes }] } } });
    for (const serving of [first, second]) expect((await ask(serving, before)).body).to.deep.equal(answerWith({ title: 'old' }));
    const answers = await meanwhile(before, async () => {
      const { uid, ...changed } = model('alpha', { body: { type: 'string' } });
      await first.database.db.collection<{ _id: string }>('_models').replaceOne({ _id: uid }, changed);
      for (const serving of [first, second]) expect(await untilKnown(serving, after)).to.deep.equal(answerWith({ body: 'new' }));
      for (const serving of [first, second]) expect((await ask(serving, before)).status).to.equal(400);
    });
    for (const ofOne of answers) {
      const olds = ofOne.findIndex(({ status }) => status !== 200);
      const [old, gone] = olds === -1 ? [ofOne, []] : [ofOne.slice(0, olds), ofOne.slice(olds)];
      for (const { body } of old) expect(body).to.deep.equal(answerWith({ title: 'old' }));
      for (const { body } of gone) expect(body.errors[0].message).to.equal('Cannot query field "title" on type "Alpha".');
      expect(old).not.to.be.empty;
    }
  });
});
