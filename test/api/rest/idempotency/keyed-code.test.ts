import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serveProject, type ServedProject } from '../../../support/serve-project.js';

const thing = {
  uid: 'api::thing.thing',
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string', unique: true }, changed: { type: 'string' } },
};
const other = {
  ...thing,
  uid: 'api::other.other',
  collectionName: 'others',
  info: { singularName: 'other', pluralName: 'others', displayName: 'Other' },
};

const calls = 'globalThis.keyedCalls ??= [];';
const router = (name: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`;

describe('Code of a project and Idempotency-Key', () => {
  let project: ServedProject;
  const called = (): string[] => (Reflect.get(globalThis, 'keyedCalls') ?? []) as string[];
  before(async () => {
    project = await serveProject(
      {
        'src/api/thing/content-types/thing/lifecycles.js': `${calls} module.exports = {
          beforeCreate({ params }) { params.data.changed = 'by code'; },
          afterCreate({ result }) { globalThis.keyedCalls.push('afterCreate ' + result.title); },
          async afterDelete() { globalThis.keyedCalls.push('afterDelete'); },
        };`,
        'src/api/thing/routes/thing.js': router('thing'),
        'src/api/other/routes/other.js': router('other'),
        'src/api/other/controllers/other.js': `${calls} module.exports = require('@strapi/strapi').factories.createCoreController('api::other.other', () => ({
          async create(ctx) { globalThis.keyedCalls.push('create'); return super.create(ctx); },
        }));`,
      },
      { models: [thing, other] },
    );
  });
  after(() => project.stop());

  const send = async (path: string, body: unknown, headers: Readonly<Record<string, string>>) => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
    const response = await fetch(project.server.url + path, sent);
    return { status: response.status, text: await response.text(), replayed: response.headers.get('idempotency-replayed') };
  };
  const count = (name: string): Promise<number> => project.database.db.collection(name).countDocuments();

  it('lifecycles run once for each stored write', async () => {
    const key = randomUUID();
    const body = { data: { title: 'once' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('/api/things', body, { 'idempotency-key': key })));
    expect([...new Set(answers.map(({ status, text }) => `${String(status)} ${text}`))]).to.have.lengthOf(1);
    expect([answers[0]?.status, answers[0]?.text.includes('by code')]).to.deep.equal([200, true]);
    expect([await count('things'), called()]).to.deep.equal([1, ['afterCreate once']]);
  });

  it('a route that code answers ignores keys, and refuses what a client repeats by itself', async () => {
    const key = randomUUID();
    const body = (title: string) => ({ data: { title } });
    const [one, two] = [
      await send('/api/others', body('one'), { 'idempotency-key': key }),
      await send('/api/others', body('two'), { 'idempotency-key': key }),
    ];
    expect([one.status, two.status, one.text === two.text, two.replayed]).to.deep.equal([200, 200, false, null]);
    const repeated = await send('/api/others', body('three'), { 'idempotency-key': key, 'idempotency-repeat': 'true' });
    expect([repeated.status, await count('others')]).to.deep.equal([409, 2]);
    expect(called().filter((name) => name === 'create')).to.have.lengthOf(2);
  });
});
