import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Returns the code of a file that tells its name while it loads. */
const telling = (name: string, exported: string): string =>
  `const { order } = require('${'../'.repeat(4)}order'); order.push('${name}'); module.exports = ${exported};`;

const route = "{ routes: [{ method: 'GET', path: '/order', handler: () => order, config: { auth: false } }] }";

describe('the order in which files of a project load', () => {
  let serving: ServedProject;
  before(async () => {
    const files = {
      'order.js': 'module.exports = { order: [] };',
      'src/index.js': "require('../order').order.push('index'); module.exports = {};",
      'src/api/page/routes/page.js': telling('route', route),
      'src/api/page/services/page.js': telling('service', '() => ({})'),
      'src/extensions/upload/server/index.js': telling('extension', '(plugin) => plugin'),
      'src/extensions/upload/strapi-server.js': "module.exports = require('./server');",
    };
    serving = await serveProject(files, { models: [] });
  });
  after(() => serving.stop());

  it('begins with src/index, whose top level other files may need', async () => {
    const { body } = await serving.call('GET', '/api/order');
    expect(body).to.have.members(['index', 'route', 'service', 'extension']);
    expect((body as readonly string[])[0]).to.equal('index');
  });
});
