import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const most = 100_000;

describe('groupBy of many entries', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(
      {},
      {
        models: [collectionType('thing', { kind: { type: 'integer' } })],
        documents: { things: Array.from({ length: most + 1 }, (_, index) => ({ _id: index + 1, kind: index % 3 })) },
      },
    );
  });
  after(() => serving.stop());

  const kinds = (where: object): Promise<object[]> =>
    serving.strapi.db.query('api::thing.thing').findMany({ select: ['kind'], groupBy: ['kind'], where });

  it('reads as many as are grouped in memory', async () => {
    expect(await kinds({ id: { $gt: 1 } })).to.deep.equal([{ kind: 0 }, { kind: 1 }, { kind: 2 }]);
  });

  it('refuses more', async () => {
    const error: unknown = await kinds({}).catch((refused: unknown) => refused);
    expect(error).to.include({
      name: 'ValidationError',
      message: 'Invalid parameter groupBy: more than 100000 entries meet where, which must name fewer',
    });
  });
});
