import { expect } from 'chai';
import { loadConfig } from '#settings/load-config.js';
import { serveModels, type Serving } from '../support/serve.js';
import { writeProject } from '../support/write-project.js';

/** A provider in the form of Strapi v4, which keeps what it sends. */
const provider = `const sent = (globalThis.pigeonMails = []);
  module.exports = { init: (options, settings) => ({
    send: async (mail) => { if (mail.subject === 'refused') throw Object.assign(new Error('no wind'), { config: { key: 'secret' } }); sent.push({ options, settings, mail }); },
  }) };`;

const files = {
  'node_modules/@strapi/provider-email-pigeon/package.json': '{ "name": "@strapi/provider-email-pigeon" }',
  'node_modules/@strapi/provider-email-pigeon/index.js': provider,
  'node_modules/strapi-provider-email-owl/package.json': '{ "type": "module", "exports": "./owl.js" }',
  'node_modules/strapi-provider-email-owl/owl.js': 'export default { init: () => ({ send: () => undefined }) };',
  'node_modules/broken/index.js': 'module.exports = {};',
  'src/index.js': 'module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; } };',
};

const settings = { defaultFrom: 'me@example.org', defaultReplyTo: null };

async function configOf(written: object) {
  const config = `module.exports = { email: { config: ${JSON.stringify(written)} } };`;
  const directory = await writeProject({ ...files, 'config/plugins.js': config });
  return loadConfig({ directory, environment: 'test', variables: {}, isStrapiProject: true });
}

describe('e-mail providers of projects', () => {
  for (const [written, name] of [
    ['pigeon', '@strapi/provider-email-pigeon'],
    ['Pigeon', '@strapi/provider-email-pigeon'],
    ['@strapi/provider-email-pigeon', '@strapi/provider-email-pigeon'],
    ['strapi-provider-email-owl', 'strapi-provider-email-owl'],
    ['fs', 'nodemailer'],
    ['absent', 'nodemailer'],
  ] as const)
    it(`${written} is ${name}`, async () => {
      const { plugins, warnings } = await configOf({ provider: written, providerOptions: { key: 'k' } });
      expect(plugins.email.config.provider).to.equal(name);
      expect(warnings.some((line) => line.includes('there is no e-mail provider'))).to.equal(name === 'nodemailer');
    });

  describe('of a service', () => {
    let serving: Serving;
    let email: { send(mail: object): Promise<unknown> };
    const serve = async (written: object): Promise<void> => {
      const { directory, plugins } = await configOf(written);
      serving = await serveModels({ models: [], project: directory, config: { directory, plugins: { email: plugins.email } } });
      const { strapi } = globalThis as unknown as { strapi: { plugin(name: string): { service(name: string): typeof email } } };
      email = strapi.plugin('email').service('email');
    };
    afterEach(() => serving.stop());

    it('sends what code and templates send, with addresses as texts', async () => {
      await serve({ provider: 'pigeon', providerOptions: { key: 'k' }, settings });
      await email.send({ to: 'ann@example.org', subject: 'Hello', text: 'Ann', tag: 'own' });
      await email.send({
        from: { name: 'Me, "I"', address: 'a@b.test' },
        to: ['ann@example.org', { name: '', address: 'c@d.test' }],
        subject: '2',
      });
      const { pigeonMails } = globalThis as unknown as { pigeonMails: readonly { mail: object }[] };
      expect(pigeonMails[0]).to.deep.equal({
        options: { key: 'k' },
        settings,
        mail: { from: 'me@example.org', to: 'ann@example.org', subject: 'Hello', text: 'Ann', tag: 'own' },
      });
      expect(pigeonMails[1]?.mail).to.deep.equal({
        from: '"Me, \\"I\\"" <a@b.test>',
        to: 'ann@example.org, c@d.test',
        subject: '2',
      });
      const refused: unknown = await email.send({ to: 'ann@example.org', subject: 'refused' }).catch((error: unknown) => error);
      expect(String(refused)).to.contain('no wind');
      expect(refused).not.to.have.property('config');
    });

    it('says what is no provider', async () => {
      await serve({ provider: 'broken' });
      const refused: unknown = await email.send({ to: 'ann@example.org', subject: 'x' }).catch((error: unknown) => error);
      expect(String(refused)).to.contain('broken is no e-mail provider');
    });
  });
});
