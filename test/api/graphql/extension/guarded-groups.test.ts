import { expect } from 'chai';
import { collectionType } from '../../../support/collection-type.js';
import { serveModels, type Serving } from '../../../support/serve.js';

const text = { type: 'string' };
const models = [
  { uid: 'of.pay', info: { displayName: 'Pay' }, attributes: { amount: { type: 'integer' }, unit: text } },
  collectionType('worker', {
    name: text,
    salary: { type: 'integer' },
    secret: text,
    shout: text,
    free: text,
    scoped: text,
    pay: { type: 'component', component: 'of.pay' },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
    club: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
  }),
  collectionType('team', { name: text }),
];

describe('groups of attributes that an extension guards', () => {
  let serving: Serving;
  before(async () => {
    const pay = { amount: 5, unit: 'EUR' };
    const worker = { _id: 1, name: 'Ann', salary: 5, secret: 's', shout: 'a', free: 'f', scoped: 'x', pay, team: 1, club: 1 };
    serving = await serveModels({
      models,
      documents: { workers: [worker], teams: [{ _id: 1, name: 'T' }] },
      config: { plugins: { graphql: { config: { connections: true, depthLimit: 20 } } } },
      register: ({ graphql: { extension } }) => {
        extension.use({
          resolvers: { Worker: { shout: { resolve: ({ shout }: { shout: string }) => shout.toUpperCase() } } },
          resolversConfig: {
            'Worker.salary': { policies: [() => false] },
            'Worker.secret': { middlewares: [() => null] },
            'Worker.free': { auth: false },
            'Worker.scoped': { auth: { scope: ['api::worker.worker.delete'] } },
            'Worker.team': { policies: [() => false] },
            'ComponentOfPay.amount': { policies: [() => false] },
          },
        });
      },
    });
  });
  after(() => serving.stop());

  const ask = async (selection: string) =>
    (await serving.call('POST', '/graphql', { query: `{ workers_connection { ${selection} } }` })).body;

  for (const [name, ...selections] of [
    [
      'salary',
      'groupBy { salary { key } }',
      ...['min', 'max', 'sum', 'avg', 'countDistinct'].map((one) => `aggregate { ${one} { salary } }`),
    ],
    [
      'salary',
      'groupBy { name { key connection { aggregate { max { salary } } } } }',
      'groupBy { name { connection { groupBy { salary { key } } } } }',
    ],
    ['secret', 'groupBy { secret { key } }', 'aggregate { min { secret } }'],
    ['shout', 'groupBy { shout { key } }', 'aggregate { max { shout } }'],
    ['scoped', 'groupBy { scoped { key } }'],
    ['team', 'groupBy { team { key } }', 'aggregate { countDistinct { team } }', 'groupBy { team { entry { id } } }'],
    ['amount', 'groupBy { pay { amount { key } } }', 'aggregate { max { pay { amount } } }'],
  ] as const)
    it(`are refused: ${name}, ${selections[0]}`, async () => {
      for (const selection of selections) {
        const { data, errors } = await ask(`${selection} count: aggregate { count }`);
        expect(errors?.[0]?.message, selection).to.equal(
          `Invalid parameter ${name}: an extension resolves it, so that groups cannot have its values`,
        );
        expect(data?.workers_connection ?? null, selection).to.equal(null);
      }
    });

  it('are answered for other attributes beside them', async () => {
    const { data, errors } = await ask('groupBy { free { key } club { key } pay { unit { key } } } aggregate { max { name } }');
    expect(errors).to.equal(undefined);
    expect(data.workers_connection).to.deep.equal({
      groupBy: { free: [{ key: 'f' }], club: [{ key: '1' }], pay: { unit: [{ key: 'EUR' }] } },
      aggregate: { max: { name: 'Ann' } },
    });
  });
});
