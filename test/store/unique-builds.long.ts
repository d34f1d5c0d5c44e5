import { expect } from 'chai';
import { UniqueBuilds } from '#store/send/index-state.js';
import { serveModels } from '../support/serve.js';

describe('writes to types whose unique indexes are being built', () => {
  const never = new Promise<void>(() => undefined);

  it('wait until the last build that was begun has ended', async () => {
    const builds = new UniqueBuilds();
    let end: () => void = () => undefined;
    builds.begin('slow', never);
    builds.begin('slow', new Promise((resolve) => (end = resolve)));
    expect([builds.isBuilding('slow'), builds.isBuilding('other')]).to.deep.equal([true, false]);
    const waiting = builds.wait('slow', 60_000);
    end();
    await waiting;
    await builds.wait('other', 60_000);
    expect(builds.isBuilding('slow')).to.equal(false);
  });

  it('are refused with a 503 if that takes too long', async () => {
    const builds = new UniqueBuilds();
    builds.begin('slow', never);
    const refusal: unknown = await builds.wait('slow', 1).catch((error: unknown) => error);
    expect(refusal).to.include({ status: 503 });
  });

  it('keep values unique from the first write on, however many types are added at once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `kind${String.fromCharCode(97 + (index % 26))}${String(index)}`);
    const models = names.map((name) => ({
      uid: `api::${name}.${name}`,
      kind: 'collectionType',
      info: { singularName: name, pluralName: `${name}-list`, displayName: name },
      attributes: { code: { type: 'string', unique: true }, title: { type: 'string', index: true } },
    }));
    const serving = await serveModels({ models });
    try {
      const create = async (name: string) => (await serving.call('POST', `/api/${name}-list`, { data: { code: 'x' } })).status;
      const asked = [...names, ...names].map(create);
      const statuses = await Promise.all(asked);
      const count = (status: number) => statuses.filter((other) => other === status).length;
      expect([count(200), count(400)]).to.deep.equal([60, 60]);
      await serving.settled();
      const problems = await serving.database.db.collection('_model_status').distinct('indexProblems');
      expect(problems).to.deep.equal([]);
    } finally {
      await serving.stop();
    }
  });

  it('keep all unique values unique, and report the other indexes that exceed the limit of a collection', async () => {
    const attributesOf = (prefix: string, count: number, option: object) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`${prefix}${String(index)}`, { type: 'string', ...option }]),
      );
    const type = (name: string, attributes: object) => ({
      uid: `api::${name}.${name}`,
      kind: 'collectionType',
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      attributes,
    });
    const unique = { ...attributesOf('code', 50, { unique: true }), title: { type: 'string', index: true } };
    const serving = await serveModels({
      models: [type('coin', unique), type('stamp', attributesOf('mark', 48, { index: true }))],
    });
    try {
      await serving.settled();
      const create = async (): Promise<number> => (await serving.call('POST', '/api/coins', { data: { code49: 'x' } })).status;
      expect([await create(), await create()]).to.deep.equal([200, 400]);
      const states = serving.database.db.collection<{ uid: string; indexProblems?: readonly string[] }>('_model_status');
      const problemsOf = async (uid: string) => (await states.findOne({ uid }))?.indexProblems ?? [];
      const why = 'is not built: the model needs more indexes than a collection can have';
      expect(await problemsOf('api::coin.coin')).to.deep.equal(
        ['createdAt-__id-', 'updatedAt-__id-', 'title-__id-'].map((key) => `index mangrove_${key} ${why}`),
      );
      expect(await problemsOf('api::stamp.stamp')).to.deep.equal(
        ['mark46-__id-', 'mark47-__id-'].map((key) => `index mangrove_${key} ${why}`),
      );
    } finally {
      await serving.stop();
    }
  });
});
