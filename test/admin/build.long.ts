import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';
import { enterpriseTexts } from '../support/enterprise-texts.js';
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

  it('says which setting moves the cache if that cannot be written', async () => {
    await write({ occupied: '' });
    const { exitCode, stderr } = await build({ XDG_CACHE_HOME: join(project, 'occupied') });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(
      /kept in \S+occupied\/mangrove\/panel-\S+, which cannot be written: .*Set XDG_CACHE_HOME to a folder/,
    );
    expect(stderr).not.to.include('    at ');
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
      expect((await stat(join(project, 'data'))).mode & 0o777).to.equal(0o700);
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

    it('says which advisories of the packages are closed, and which stay', async () => {
      const { stdout } = await build();
      expect(stdout).to.match(/\n\d+ advisories \(20\d\d-\d\d-\d\d\) of the packages: \d+ closed, \d+ stay\n/);
      expect(stdout).to.match(/ closed critical CVE-2026-90561 @strapi\/admin 4\.26\.\d: .*; DOMPurify cleans the preview/);
      expect(stdout).to.match(/ closed moderate GHSA-\S+ sanitize-html \S+: .*; DOMPurify/);
    });

    it('has nothing of folders called ee', async () => {
      const panel = join(project, 'data/panel');
      const names = (await readdir(panel)).filter((name) => name.endsWith('.js'));
      const all = (await Promise.all(names.map((name) => readFile(join(panel, name), 'utf8')))).join('\n');
      const texts = await enterpriseTexts();
      expect(texts.length).to.be.above(100);
      expect(texts.filter((text) => all.includes(text))).to.deep.equal([]);
      expect(all).not.to.include('getFeature'); // a name of the one function among other code
    });

    it('finds modules as webpack does, makes absent exports undefined, and names the plugins that it leaves out', async () => {
      const plugin = (name: string): string =>
        JSON.stringify({ name, strapi: { kind: 'plugin' }, exports: { './strapi-admin': './admin.js' } });
      await write({
        'package.json': JSON.stringify({
          dependencies: { '@strapi/strapi': '4.26.2', wide: '1.0.0', gone: '1.0.0', broken: '1.0.0' },
        }),
        'config/plugins.js': 'module.exports = {};',
        'src/admin/app.js': 'export default {};',
        'node_modules/charts/package.json': JSON.stringify({ name: 'charts', exports: { './*': './dist/*' } }),
        'node_modules/charts/dist/bar.mjs': "export default 'chart-of-bars';",
        'node_modules/charts/dist/pie/index.mjs': "export default 'chart-of-pies';",
        'node_modules/charts/dist/line.js': "module.exports = 'chart-of-lines';",
        'node_modules/charts/dist/dots/index.js': "exports.default = 'chart-of-dots'; exports.__esModule = true;",
        'node_modules/wide/package.json': plugin('wide'),
        'node_modules/wide/admin.js': wide,
        'node_modules/wide/page.jsx':
          "import { Gone } from '@strapi/helper-plugin';\nimport './page.css';\nconsole.log(Gone);\nexport default () => <p>page-of-wide</p>;",
        'node_modules/wide/page.css':
          "@font-face { font-family: wide; src: url('./wide.woff2') }\n.wide { background: url(/uploads/a.png) }",
        'node_modules/wide/box.module.css': '.box { color: rgb(1, 2, 3) }',
        'node_modules/wide/wide.woff2': 'font',
        'node_modules/wide/names.json': '{ "wide": "name-of-wide" }',
        'node_modules/wide/texts/en.json': '{ "text": "text-of-wide" }',
        'node_modules/gone/package.json': plugin('gone'),
        'node_modules/gone/admin.js': "import 'not-installed';\nexport default { register() { console.log('plugin-gone'); } };",
        'node_modules/broken/package.json': plugin('broken'),
        'node_modules/broken/admin.js': 'export default {',
      });
      const { exitCode, stderr } = await build();
      expect(exitCode, stderr).to.equal(0);
      for (const text of [
        /The plugin gone is left out, .*gone\/admin\.js:1: Could not resolve "not-installed"/,
        /The plugin broken is left out, .*broken\/admin\.js:1: /,
        /undefined: Gone of .*helper-plugin/,
      ])
        expect(stderr).to.match(text);
      const panel = join(project, 'data/panel');
      const names = await readdir(panel);
      const texts = await Promise.all(
        names.filter((name) => /\.(js|css|html)$/.test(name)).map((name) => readFile(join(panel, name), 'utf8')),
      );
      const all = texts.join('\n');
      for (const text of ['bars', 'pies', 'lines', 'dots']) expect(all).to.include(`chart-of-${text}`);
      for (const text of ['page-of-wide', 'name-of-wide', 'text-of-wide', 'font-family:wide', '/uploads/a.png', 'color:#010203'])
        expect(all).to.include(text);
      expect(names.some((name) => /^wide-\w+\.woff2$/.test(name))).to.equal(true);
      expect(all).not.to.include('plugin-gone');
    });

    const wide = `
      import Button from '@strapi/design-system/Button';
      import { Link } from '@strapi/design-system/v2';
      import Download from '@strapi/icons/Download';
      import { Gone } from '@strapi/helper-plugin';
      import bar from 'charts/bar';
      import pie from 'charts/pie';
      import names from './names.json';
      import { box } from './box.module.css';
      const line = require('charts/line');
      const { default: dots } = require('charts/dots');
      const icon = require('@strapi/icons/Download').default;
      export default {
        register(app) {
          console.log(Button, Link, Download, icon, Gone, bar, pie, line, dots, names.wide, box, process.env.WIDE, global, __dirname);
          app.addMenuLink({ to: '/plugins/wide', icon: () => <i />, Component: () => import('./page.jsx') });
        },
        registerTrads: ({ locales }) => Promise.all(locales.map((locale) => import(\`./texts/\${locale}.json\`))),
      };`;

    it('keeps an earlier panel if the project cannot be bundled, and names the file', async () => {
      await write({ 'src/admin/app.js': 'export default {' });
      const { exitCode, stderr } = await build();
      expect(exitCode).to.equal(1);
      expect(stderr).to.include('src/admin/app.js');
      expect(await readdir(join(project, 'data/panel'))).to.include('index.html');
    });
  });
});
