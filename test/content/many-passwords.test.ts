import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::door.door',
    kind: 'collectionType',
    info: { singularName: 'door', pluralName: 'doors', displayName: 'door' },
    attributes: {
      code: { type: 'password' },
      locks: { type: 'component', component: 'part.lock', repeatable: true },
      parts: { type: 'dynamiczone', components: ['part.lock'] },
    },
  },
  {
    uid: 'part.lock',
    collectionName: 'components_part_locks',
    info: { displayName: 'lock' },
    attributes: { code: { type: 'password' } },
  },
];

const locks = (count: number, more: object = {}) => Array.from({ length: count }, () => ({ code: 'abc', ...more }));

/** A hash takes a thread for tens of milliseconds; without a bound one write would keep log-ins waiting for minutes. */
const bodies: readonly (readonly [title: string, data: object, status: number])[] = [
  ['the maximum for one write', { locks: locks(20) }, 200],
  ['one more in a list of components', { locks: locks(21) }, 400],
  ['one more in several places', { code: 'abc', locks: locks(10), parts: locks(10, { __component: 'part.lock' }) }, 400],
  ['thousands', { locks: locks(5_000) }, 400],
  ['components without passwords', { locks: Array.from({ length: 100 }, () => ({})) }, 200],
];

describe('passwords of one write', () => {
  let serving: Serving;

  before(async () => {
    serving = await serveModels({ models });
    await serving.call('POST', '/api/doors', { data: {} });
  });
  after(() => serving.stop());

  for (const [method, path] of [
    ['POST', '/api/doors'],
    ['PUT', '/api/doors/1'],
  ] as const)
    for (const [title, data, status] of bodies)
      it(`${method}: ${title}`, async () => {
        const answer = await serving.call(method, path, { data });
        expect(answer.status).to.equal(status);
        if (status === 400) expect(answer.body.error.message).to.equal('One write takes at most 20 passwords');
      });

  it('are stored as hashes, each in its attribute', async () => {
    await serving.call('PUT', '/api/doors/1', { data: { code: 'a', locks: [{ code: 'b' }, {}, { code: 'c' }] } });
    const doors = serving.database.db.collection<{ _id: number; code: unknown; locks: { code: unknown }[] }>('door');
    const stored = await doors.findOne({ _id: 1 });
    const codes = [stored, ...(stored?.locks ?? [])].map((holder) => holder?.code);
    expect(codes.map((code) => typeof code === 'string' && code.startsWith('$2b$10$'))).to.deep.equal([true, true, false, true]);
  });
});
