import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const model = (name: string) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s` },
  options: { draftAndPublish: true },
  attributes: { title: { type: 'string' }, views: { type: 'integer' } },
});

/** Notes what code hears in `globalThis.heardOfSeveral`. Of memos, it hears of single entries alone. */
const index = `
const heard = (globalThis.heardOfSeveral = []);
const note = ({ action, params, result }) => heard.push([action, params.where, result]);
module.exports = { register({ strapi }) {
  globalThis.projectStrapi = strapi;
  strapi.db.lifecycles.subscribe({
    models: ['api::note.note'],
    beforeDelete: note, afterDelete: note, beforeUpdate: note, afterUpdate: note, afterDeleteMany: note, afterUpdateMany: note,
    beforeDeleteMany: async (event) => {
      note(event);
      const entries = await strapi.entityService.findMany('api::note.note', { filters: { id: event.params.where.$and[0].id.$in } });
      if (entries.some(({ title }) => title === 'kept')) throw new Error('kept');
      event.params.where.$and.push({ title: { $ne: 'left' } });
    },
    beforeUpdateMany: (event) => {
      note(event);
      if (event.params.data.publishedAt !== null) event.params.data.publishedAt.getTime();
      event.params.data.title = 'changed';
      event.params.data.views = '7';
    },
  });
  strapi.db.lifecycles.subscribe({ models: ['api::memo.memo'], beforeDelete: note, afterUpdate: note });
  for (const name of ['entry.delete', 'entry.publish']) strapi.eventHub.on(name, ({ entry }) => heard.push([name, entry.title]));
} };`;

const heard = (): unknown[] => Reflect.get(globalThis, 'heardOfSeveral') as unknown[];

describe('writes of several entries in the panel', () => {
  let serving: ServedProject;
  let panel: PanelSender;
  before(async () => {
    serving = await serveProject(
      { 'src/index.js': index },
      { models: ['note', 'memo'].map(model), config: { admin: { enabled: true } } },
    );
    const own = (action: 'delete' | 'publish') => ({ action, subject: 'api::note.note', conditions: ['admin::is-creator'] });
    panel = await openAdministrators(serving, { author: [[own('delete'), own('publish')]] });
  });
  after(() => serving.stop());

  const act = (name: string, action: string, ids: readonly number[], as = 'super') =>
    panel(as, 'POST', `/content-manager/collection-types/api::${name}.${name}/actions/${action}`, { ids });
  const create = async (name: string, ...titles: readonly string[]): Promise<number[]> => {
    const ids: number[] = [];
    for (const title of titles)
      ids.push((await serving.strapi.entityService.create(`api::${name}.${name}`, { data: { title } })).id);
    heard().length = 0;
    return ids;
  };

  it('call the code around a deletion of several, which may leave out some', async () => {
    const ids = await create('note', 'one', 'left', 'two');
    expect(await act('note', 'bulkDelete', [...ids, 999])).to.deep.equal({ status: 200, body: { count: 2 } });
    const where = { $and: [{ id: { $in: ids } }, { title: { $ne: 'left' } }] };
    const [before, ...events] = heard() as [unknown, ...unknown[]];
    expect(before).to.deep.equal(['beforeDeleteMany', where, undefined]);
    expect(events).to.have.deep.members([
      ['entry.delete', 'one'],
      ['entry.delete', 'two'],
      ['afterDeleteMany', where, { count: 2 }],
    ]);
    expect(await serving.strapi.query('api::note.note').count({ where: { id: ids } })).to.equal(1);
  });

  it('delete nothing if that code throws, or an entry may not be deleted', async () => {
    const ids = await create('note', 'one', 'kept');
    expect((await act('note', 'bulkDelete', ids)).status).to.equal(500);
    heard().length = 0;
    expect((await act('note', 'bulkDelete', ids, 'author')).status).to.equal(403);
    expect((await act('note', 'bulkPublish', ids, 'author')).status).to.equal(403);
    expect(heard()).to.deep.equal([]);
    expect(await serving.strapi.query('api::note.note').count({ where: { id: ids } })).to.equal(2);
  });

  it('call the code around an update of several, which may change the data', async () => {
    const ids = await create('note', 'one', 'two');
    await serving.strapi.entityService.update('api::note.note', ids[0], { data: { publishedAt: new Date() } });
    heard().length = 0;
    expect(await act('note', 'bulkPublish', ids)).to.deep.equal({ status: 200, body: { count: 1 } });
    const where = { id: { $in: [ids[1]] } };
    expect(heard()).to.have.deep.members([
      ['beforeUpdateMany', where, undefined],
      ['entry.publish', 'changed'],
      ['afterUpdateMany', where, { count: 1 }],
    ]);
    const [first, second] = await serving.strapi.query('api::note.note').findMany({ where: { id: ids }, orderBy: 'id' });
    expect([first.title, second.title, second.views, second.publishedAt === null]).to.deep.equal(['one', 'changed', 7, false]);
  });

  it('call the code around each of them if there is none for several', async () => {
    const ids = await create('memo', 'one', 'two');
    expect(await act('memo', 'bulkPublish', ids)).to.deep.equal({ status: 200, body: { count: 2 } });
    expect(await act('memo', 'bulkDelete', ids)).to.deep.equal({ status: 200, body: { count: 2 } });
    const actions = heard().map((one) => (one as readonly unknown[])[0]);
    expect(actions.filter((action) => action === 'afterUpdate')).to.have.length(2);
    expect(actions.filter((action) => action === 'beforeDelete')).to.have.length(2);
  });
});
