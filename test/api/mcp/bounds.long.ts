import { expect } from 'chai';
import { Random } from '../../../scripts/random.js';
import { collectionType } from '../../support/collection-type.js';
import { roundsOf } from '../../support/rounds.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type Agent, connectOld } from './agents.js';
import { lengthOf, textOf, valueOf } from './random-values.js';

const rounds = roundsOf(400, 2_000);
const maxBytes = 10_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const self = { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' };
const scalars = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`text${String(index)}`, { type: 'text' }]));
const models = [
  collectionType(
    'thing',
    {
      name: { type: 'string' },
      body: { type: 'richtext' },
      data: { type: 'json' },
      ...scalars,
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      others: self,
    },
    { options: { draftAndPublish: true } },
  ),
  { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { text: { type: 'text' } } },
  ...Array.from({ length: 60 }, (_, index) =>
    collectionType(`kind-${String(index)}`, { name: { type: 'string' } }, { info: undefined }),
  ).map((model, index) => ({ ...model, info: { ...infoOf(index), description: 'é'.repeat(200) } })),
];

function infoOf(index: number) {
  const name = `kind-${String(index)}`;
  return { singularName: name, pluralName: `${name}-list`, displayName: name };
}

describe('answers of at most 10,000 bytes', () => {
  let server: Serving;
  let agent: Agent;

  before(async () => {
    const mcp = { enabled: true, public: true, publish: true, maxBytes };
    server = await serveModels({ models, config: { api: { mcp } } });
    agent = await connectOld(`${server.server.url}/mcp`);
    const random = new Random(11);
    const plain = (text: string): string => text.replaceAll('\u0001', ' ');
    for (let index = 0; index < 40; index++) {
      const texts = Object.keys(scalars).filter(() => random.oneIn(2));
      const data = {
        name: textOf(random, 200),
        body: textOf(random, lengthOf(random)),
        data: valueOf(random),
        ...Object.fromEntries(texts.map((name) => [name, textOf(random, lengthOf(random))])),
        parts: Array.from({ length: random.below(6) }, () => ({ text: textOf(random, lengthOf(random)) })),
        others: index === 0 ? [] : [...random.draw(Math.min(index, 5), index)],
        ...(random.oneIn(2) && { publishedAt: null }),
      };
      const { status, body } = await server.call('POST', '/api/things', JSON.parse(plain(JSON.stringify({ data }))));
      expect(status, JSON.stringify(body).slice(0, 500)).to.equal(200);
    }
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  it(`are none larger, of ${String(rounds)} random ones`, async () => {
    const random = new Random(5);
    const seen = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      const [name, input] = callOf(random);
      const { isError, text, content } = await agent.call(name, input);
      const about = JSON.stringify([name, input]).slice(0, 300);
      expect(Buffer.byteLength(text), about).to.be.at.most(maxBytes);
      expect(bytesOf(content), about).to.be.at.most(maxBytes);
      const kind = isError ? `${name} refused` : JSON.stringify(content).includes('_truncated') ? `${name} cut` : name;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    for (const kind of ['find cut', 'get cut', 'get', 'aggregate', 'update refused', 'describe', 'create cut'])
      expect(seen.get(kind), `${kind} of ${JSON.stringify([...seen])}`).to.be.greaterThan(0);
  });
});

function callOf(random: Random): readonly [name: string, input: object] {
  const pick = <Item>(items: readonly Item[]): Item => random.maybe(items) as Item; // there are some
  const id = 1 + random.below(42);
  const type = 'thing';
  const populate = pick<unknown>([[], ['parts'], '*', { others: { populate: '*' } }]);
  const data = { body: textOf(random, lengthOf(random)), name: textOf(random, 30).replaceAll('\u0001', '') };
  return pick<readonly [string, object]>([
    ['find', { type, status: 'all', populate, limit: pick([1, 3, 25, 100]), sort: pick(['id', 'name', 'name:desc']) }],
    ['find', { type, status: 'all', filters: { name: { $containsi: textOf(random, 3) } } }],
    ['get', { type, id, populate }],
    [
      'aggregate',
      { type, status: 'all', aggregate: { count: '*', max: ['name'] }, groupBy: pick([['name'], ['others.name'], ['id']]) },
    ],
    ['update', { type, id, version: 'old.1', data }],
    ['update', { type, id, version: 'old.1', data, [textOf(random, lengthOf(random))]: 1 }],
    ['update', { type, id, version: pick(['1', textOf(random, 300)]), data: { [textOf(random, 500)]: textOf(random, 500) } }],
    ['create', { type, data, dryRun: true }],
    [
      'create',
      {
        type,
        data: { ...data, body: data.body.repeat(20).slice(0, 60_000) },
        key: `key ${String(random.below(1e9))} of this run`,
      },
    ],
    ['describe', pick([{}, { type }, { type: 'shared.part' }, { cursor: 'kind-30' }, { type: textOf(random, 3_000) }])],
  ]);
}
