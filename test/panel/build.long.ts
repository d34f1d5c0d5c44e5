import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';
import { needPanelPackages } from '../support/panel.js';

describe('npx mangrove panel build', () => {
  let project: string;
  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'mangrove-build-'));
  });
  after(() => rm(project, { recursive: true }));

  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(project, name)), { recursive: true });
      await writeFile(join(project, name), text);
    }
  };
  const build = (env = {}) => runCli('panel', ['build'], { directory: project, env });

  it('says what is missing without a network', async () => {
    const offline = {
      XDG_CACHE_HOME: join(project, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_fetch_retries: '0',
    };
    const { exitCode, stderr } = await build(offline);
    expect(exitCode).to.equal(1);
    for (const text of ['Installing @strapi/admin', 'could not be installed', 'needs a network', './data/panel', 'ECONNREFUSED'])
      expect(stderr).to.include(text);
  });

  describe('with the packages', () => {
    needPanelPackages('the build of the panel');

    const field = (name: string): string =>
      `import { useQuery } from 'react-query';\nexport default { register(app) { app.addFields({ type: '${name}', Component: () => <b>{String(useQuery)} ${name}</b> }); } };`;

    it('writes a panel with the app and the front ends of plugins of a project', async () => {
      await write({
        'package.json': JSON.stringify({ dependencies: { '@strapi/strapi': '4.26.2', 'strapi-plugin-stars': '1.0.0' } }),
        'config/admin.js': "module.exports = { url: '/desk' };",
        'config/plugins.js':
          "module.exports = { hearts: { enabled: true, resolve: './src/plugins/hearts' }, off: { enabled: false, resolve: './src/plugins/off' } };",
        'src/admin/app.js':
          "import logo from './logo.svg';\nexport default { config: { auth: { logo } }, bootstrap() { console.log('own bootstrap'); } };",
        'src/admin/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
        'src/plugins/hearts/strapi-admin.js': "module.exports = require('./admin/src').default;",
        'src/plugins/hearts/admin/src/index.js': field('field-of-hearts'),
        'src/plugins/off/strapi-admin.js': field('field-of-off'),
        'node_modules/strapi-plugin-stars/package.json': JSON.stringify({
          name: 'strapi-plugin-stars',
          strapi: { kind: 'plugin', name: 'stars' },
          exports: { './strapi-admin': { import: './admin.mjs', require: './admin.js' } },
        }),
        'node_modules/strapi-plugin-stars/admin.mjs': field('field-of-stars'),
      });
      const { exitCode, stdout, stderr } = await build();
      expect(exitCode, stderr).to.equal(0);
      expect(stdout).to.match(/wrote \S+data\/panel in [\d.]+ s: \d+ files, /);
      const panel = join(project, 'data/panel');
      const names = await readdir(panel);
      const page = await readFile(join(panel, 'index.html'), 'utf8');
      const [, script = ''] = /src="\/desk\/([^"]+)"/.exec(page) ?? [];
      expect(names).to.include(script);
      const scripts = await Promise.all(
        names.filter((name) => name.endsWith('.js')).map((name) => readFile(join(panel, name), 'utf8')),
      );
      const all = scripts.join('\n');
      for (const text of ['own bootstrap', 'field-of-hearts', 'field-of-stars', '/desk/logo-']) expect(all).to.include(text);
      expect(all).not.to.include('field-of-off');
      expect(all.split('react.transitional.element').length + all.split('useSyncExternalStore=').length).to.be.below(6);
      expect(names.filter((name) => !/[.-][A-Z2-7]{8}\.\w+$/.test(name))).to.deep.equal(['index.html']);
    });

    it('keeps an earlier panel if the project cannot be bundled, and names the file', async () => {
      await write({ 'src/admin/app.js': 'export default {' });
      const { exitCode, stderr } = await build();
      expect(exitCode).to.equal(1);
      expect(stderr).to.include('src/admin/app.js');
      expect(await readdir(join(project, 'data/panel'))).to.include('index.html');
    });
  });
});
