import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';
import { writeProject } from '../support/write-project.js';

const secrets = { JWT_SECRET: 'a'.repeat(40), API_TOKEN_SALT: 'b'.repeat(40), ADMIN_TOKEN: 'c'.repeat(40) };
const env = { ...secrets, MONGODB_URI: 'mongodb://localhost/none' };

describe('npx mangrove check', () => {
  const files = {
    'config/api.js': "module.exports = {\n  rest: { maxLimit: 'many' },\n};",
    'config/database.js': "throw new Error('DATABASE_HOST is required');",
    'src/api/memo/routes/memo.js': "module.exports = { routes: [\n  { method: 'GET', path: '/memo', handler: 'memo.none' }] };",
    'src/api/memo/controllers/memo.js': 'module.exports = {};',
    'src/policies/wrong.js': 'nothing();',
    'src/index.js': 'module.exports = {\n  bootstrap: ({ strapi }) => strapi.cron.add({}) };',
  };

  it('lists all problems at once', async () => {
    const directory = await writeProject(files);
    const { stdout, exitCode } = await runCli('check', ['--project', directory], { directory, env });
    for (const text of ['problem  config/api.js', 'memo.none', 'problem  src/policies/wrong.js', 'strapi.cron is not offered'])
      expect(stdout).to.include(text);
    expect(exitCode).to.equal(1);
  });

  for (const [args, expected] of [
    [[], 0],
    [['--strict'], 1],
  ] as const)
    // prettier-ignore
    it(`counts warnings: ${args.join()}`, async () => {
      const directory = await writeProject({ 'config/database.js': files['config/database.js'] });
      const { stdout, exitCode } = await runCli('check', args, { directory, env });
      expect(stdout).to.include('warning  config/database.js').and.include('DATABASE_HOST is required');
      expect(exitCode).to.equal(expected);
    });

  /** What stops nothing in production, and the line about it. */
  const harmless: Readonly<Record<string, readonly [file: string, code: string, line: string]>> = {
    'an extension of a plugin of the admin panel': [
      'src/extensions/preview-button/strapi-server.js',
      "module.exports = (plugin) => { plugin.controllers['preview-button'].findOne = () => 1; return plugin; };",
      'src/extensions/preview-button is not run: the project has no plugin preview-button',
    ],
    'an extension of GraphQL that cannot be loaded': [
      'src/extensions/graphql/strapi-server.ts',
      "const { map } = require('no-such-package'); map(() => 1);",
      "src/extensions/graphql is not run: the plugin graphql is Mangrove's own",
    ],
    'an extension of what uploads lack': [
      'src/extensions/upload/strapi-server.js',
      `module.exports = (plugin) => { const images = plugin.services['image-manipulation']();
        plugin.services['image-manipulation'] = () => ({ ...images, optimize: () => null }); return plugin; };`,
      'src/extensions/upload/strapi-server.js',
    ],
    'the configuration of the logger': [
      'config/logger.ts',
      "import { formats } from '@strapi/logger'; export default { format: formats.prettyPrint({}) };",
      'config/logger is not read: it is for the logger of Strapi; set middlewares.logger',
    ],
  };
  for (const [what, [file, code, line]] of Object.entries(harmless))
    it(`warns of ${what}`, async () => {
      const directory = await writeProject({ [file]: code });
      const { stdout, exitCode } = await runCli('check', [], { directory, env });
      expect(stdout).to.include(`warning  ${line}`).and.include('0 problems');
      expect(exitCode).to.equal(0);
    });
});
