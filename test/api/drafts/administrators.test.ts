import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';

const uid = 'api::page.page';
const attributes = { title: { type: 'string' }, level: { type: 'integer' }, secret: { type: 'string' } };
const models = [collectionType('page', attributes, { options: { draftAndPublish: true, drafts: 'beside' } })];

const conditions = `[
  { name: 'is-low', displayName: 'Is low', handler: () => ({ level: { $lt: 5 } }) },
  { name: 'is-high', displayName: 'Is high', handler: () => ({ level: { $gte: 5 } }) },
  { name: 'is-published', displayName: 'Is published', handler: () => ({ publishedAt: { $notNull: true } }) },
]`;
const files = {
  'src/index.js': `module.exports = { bootstrap: ({ strapi }) =>
    strapi.admin.services.permission.conditionProvider.registerMany(${conditions}) };`,
};
const reading = (fields: readonly string[], condition: string) => ({
  ...{ action: 'read' as const, subject: uid, fields, conditions: [`api::${condition}`] },
});
const all = ['title', 'level', 'secret'];

/** Page 1 is low and its draft high; page 2 is high, and so is its draft. */
describe('conditions of administrators and drafts beside published entries', () => {
  let serving: ServedProject;
  let send: PanelSender;

  before(async () => {
    serving = await serveProject(files, { models, config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, {
      low: [[reading(all, 'is-low')]],
      both: [[reading(all, 'is-low')], [reading(['title', 'level'], 'is-high')]],
      published: [[reading(all, 'is-published')]],
    });
    for (const level of [1, 9]) {
      const made = await serving.call('POST', '/api/pages', { data: { title: 'live', level, secret: 'of live' } });
      const path = `/api/pages/${String(made.body.data.id)}?status=draft`;
      await serving.call('PUT', path, { data: { title: 'draft', level: 9, secret: 'of draft' } });
    }
  });
  after(() => serving.stop());

  const shown = async (as: string, id: number) => {
    const { status, body } = await send(as, 'GET', `/admin/api/drafts/${uid}/${String(id)}`);
    return [status, body.data && [body.data.entry.secret, body.data.draft.secret, body.data.draft.title]] as const;
  };

  it('a draft is shown to those who may see it and its entry, with the fields that they may see of it', async () => {
    expect(await shown('super', 1)).to.eql([200, ['of live', 'of draft', 'draft']]);
    expect(await shown('low', 1)).to.eql([200, null]);
    expect((await shown('low', 2))[0]).to.equal(403);
    expect(await shown('both', 1)).to.eql([200, ['of live', undefined, 'draft']]);
    expect(await shown('both', 2)).to.eql([200, [undefined, undefined, 'draft']]);
    expect(await shown('published', 1)).to.eql([200, null]);
  });

  it('forms show the fields of the draft that they show', async () => {
    const form = async (as: string, id: number) => {
      const { body } = await send(as, 'GET', `/content-manager/collection-types/${uid}/${String(id)}`);
      return [body.title, body.secret];
    };
    expect(await form('super', 1)).to.eql(['draft', 'of draft']);
    expect(await form('low', 1)).to.eql(['live', 'of live']);
    expect(await form('both', 1)).to.eql(['draft', undefined]);
    expect(await form('published', 1)).to.eql(['live', 'of live']);
  });
});
