import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

describe('methods that code assigns to services of plugins', () => {
  let log: Log;
  let serving: ServedProject;
  before(async () => {
    log = await createLog();
    const index = `module.exports = {
      register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.plugin('users-permissions').service('jwt').issue = () => 'own';
      },
      bootstrap({ strapi }) {
        const upload = strapi.service('plugin::upload.upload');
        const { formatFileInfo } = upload;
        upload.formatFileInfo = async (...input) => ({ ...(await formatFileInfo(...input)), caption: 'own' });
        upload.own = () => 'added';
      },
    };`;
    serving = await serveProject({ 'src/index.js': index }, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  it('are those of code', async () => {
    const upload = serving.strapi.plugins.upload.services.upload;
    expect(await upload.formatFileInfo({ filename: 'a.txt', type: 'text/plain', size: 1 })).to.include({
      caption: 'own',
      ext: '.txt',
    });
    expect([upload.own(), serving.strapi.plugin('users-permissions').service('jwt').issue({ id: 1 })]).to.deep.equal([
      'added',
      'own',
    ]);
  });

  it('are in the log, because requests do not call them', () => {
    const told = log.lines.map((line) => JSON.stringify(line)).filter((line) => line.includes('is replaced for code alone'));
    expect(told).to.have.length(2);
    expect(told[0]).to.include("strapi.plugin('users-permissions').service('jwt').issue is replaced");
    expect(told[1]).to.include("strapi.plugin('upload').service('upload').formatFileInfo is replaced");
  });
});
