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
    'src/index.js': 'module.exports = {\n  bootstrap: ({ strapi }) => strapi.telemetry.send({}) };',
  };

  it('lists all problems at once', async () => {
    const directory = await writeProject(files);
    const { stdout, exitCode } = await runCli('check', ['--project', directory], { directory, env });
    for (const text of [
      'problem  config/api.js',
      'memo.none',
      'problem  src/policies/wrong.js',
      'strapi.telemetry is not offered',
    ])
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
});
