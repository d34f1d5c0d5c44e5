import { expect } from 'chai';
import { writeProject } from '../../support/write-project.js';
import { page, serveReleases } from './serve-releases.js';

const files = {
  'src/index.js': `module.exports = { bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({ models: ['${page}'], beforeUpdate() { throw new Error('broken'); } }); } };`,
};

describe('a release at whose time code of the project fails', () => {
  it('stays open with the reason, so that it is not tried again', async () => {
    const { serving, draft, release, until } = await serveReleases({}, { project: await writeProject(files) });
    try {
      const actions = [{ action: 'publish', uid: page, id: await draft(page, { title: 'a' }) }];
      const { id } = await release('super', { name: 'broken', at: new Date(Date.now() + 1_500).toISOString(), actions });
      const { failure, state } = await until(Number(id), (one) => one.failure !== null);
      expect([state, failure.problems[0].message]).to.deep.equal(['open', 'Code of the project has failed, see the log']);
    } finally {
      await serving.stop();
    }
  });
});
