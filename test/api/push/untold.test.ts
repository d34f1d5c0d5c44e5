import { expect } from 'chai';
import { type PushedWrite, servePush, type ServingPush } from './push-kit.js';

const actionsOn = (type: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `api::${type}.${type}.${name}`);

/** More names than a push may look up. */
const many = Array.from({ length: 1_001 }, (_, index) => `$a-name-of-the-client-${String(index)}`);

describe('a refused push tells nothing of what is stored', () => {
  let service: ServingPush;
  let jwt: string;
  let id: number;
  const grant = async (actions: readonly string[], fields: object | null = null): Promise<void> => {
    expect((await service.admin('PUT', '/roles/1', { actions })).status).to.equal(200);
    expect((await service.admin('PUT', '/roles/1/rules', { rows: null, fields })).status).to.equal(200);
  };
  before(async () => {
    service = await servePush();
    ({ jwt } = await service.addUser('ann'));
    id = await service.make('articles', { title: 'Salt' });
    await grant(actionsOn('tag', 'find', 'create'));
    const [named] = await service.push(jwt, { op: 'create', type: 'tags', id: '$a-tag-of-ann', set: { name: { to: 'x' } } });
    expect(named).to.include({ status: 'applied' });
  });
  after(() => service.stop());

  const update = (more: object): PushedWrite => ({ op: 'update', type: 'articles', id, ...more });
  const probes = (): readonly PushedWrite[] => [
    update({ set: { title: { from: 'Salt', to: 'x' } } }),
    update({ set: { title: { from: 'Pepper', to: 'x' } } }),
    update({ id: 99_999, set: { title: { to: 'x' } } }),
    update({ id: '$no-entry-of-anybody', set: { title: { to: 'x' } } }),
    update({ id: '$a-tag-of-ann', set: { title: { to: 'x' } } }),
    update({ add: { tags: ['$no-entry-of-anybody'] } }),
    update({ add: { tags: ['$a-tag-of-ann'] } }),
    update({ add: { author: ['$a-tag-of-ann'] } }),
    update({ set: { nothing: { to: 'x' } } }),
    update({ add: { tags: many } }),
    update({ add: { nothing: many } }),
    { op: 'delete', type: 'articles', id },
    { op: 'delete', type: 'articles', id: 99_999 },
    { op: 'delete', type: 'articles', id: '$no-entry-of-anybody' },
    { op: 'create', type: 'articles', id: '$a-tag-of-ann', set: {} },
    { op: 'create', type: 'articles', id: '$a-new-entry', set: { tags: { to: ['$no-entry-of-anybody'] } } },
  ];
  const cases: readonly (readonly [who: string, actions: readonly string[], status: number])[] = [
    ['who may only read', actionsOn('article', 'find', 'findOne'), 403],
    ['who has no right on the type', actionsOn('tag', 'find'), 404],
  ];
  for (const [who, actions, status] of cases)
    it(`to one ${who}`, async () => {
      await grant(actions);
      const errors = new Set<string>();
      for (const probe of probes()) {
        const [answer] = await service.push(jwt, probe);
        expect(answer, JSON.stringify(probe).slice(0, 100)).to.include({ status: 'refused', id: probe.id, version: null });
        expect(answer).to.not.have.any.keys('attributes', 'conflicts');
        expect(answer?.error).to.include({ status });
        errors.add(JSON.stringify(answer?.error).replaceAll(/\.(?:create|update|delete)/g, ''));
      }
      expect([...errors]).to.have.length(1);
      expect((await service.read('articles', id)).title).to.equal('Salt');
    });

  it('of hidden attributes to one who may write others', async () => {
    const all = ['find', 'findOne', 'create', 'update', 'delete'];
    const fields = { 'api::article.article': { deny: ['author', 'photos'] } };
    await grant([...actionsOn('article', ...all), ...actionsOn('author', 'find')], fields);
    const errors = new Set<string>();
    for (const name of ['author', 'photos', 'nothing', 'tags'])
      for (const to of [[1], ['$no-entry-of-anybody'], many]) {
        const [answer] = await service.push(jwt, update({ set: { [name]: { to } } }));
        expect(answer?.error, name).to.include({ status: 400 });
        errors.add(JSON.stringify(answer?.error).replaceAll(name, 'attribute'));
      }
    expect([...errors]).to.have.length(1);
  });
});
