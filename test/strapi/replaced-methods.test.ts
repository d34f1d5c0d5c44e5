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

describe('members that services of plugins lack', () => {
  let log: Log;
  let serving: ServedProject;
  before(async () => {
    log = await createLog();
    const index = `module.exports = {
      register({ strapi }) { globalThis.projectStrapi = strapi; },
      bootstrap({ strapi }) { globalThis.pinOfTest = strapi.service('plugin::users-permissions.user').hashPin(1); },
    };
    async function unused() { await strapi.plugin('upload').service('upload').shrink('all'); }`;
    const extension = `module.exports = (plugin) => {
      const given = plugin.services.user;
      plugin.services.user = (input) => ({ ...given(input), hashPin: (pin) => '#' + pin });
      return plugin;
    };`;
    const files = { 'src/index.js': index, 'src/extensions/users-permissions/strapi-server.js': extension };
    serving = await serveProject(files, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  it('are told, but those that an extension may add', () => {
    expect(Reflect.get(globalThis, 'pinOfTest')).to.equal('#1');
    const told = log.lines.map((line) => JSON.stringify(line)).filter((line) => line.includes('here as in Strapi v4'));
    expect(told).to.have.length(1);
    expect(told[0]).to.include('the service upload has no shrink, here as in Strapi v4');
  });
});
