import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { join } from 'node:path';
import type { NamedFinding } from '#operate/doctor/checks.js';
import { runCli } from '../../support/run-cli.js';
import { writeProject, type ProjectFiles } from '../../support/write-project.js';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly NamedFinding[];
}

const manifest = (dependencies: object): string => JSON.stringify({ name: 'shop', dependencies });

describe('npx mangrove doctor --strapi', () => {
  const doctor = async (files: ProjectFiles, args: readonly string[] = ['--json']) => {
    const directory = await writeProject(files);
    return runCli('doctor', ['--strapi', directory, ...args], { directory: tmpdir(), env: {} });
  };
  const report = async (files: ProjectFiles): Promise<Report> => JSON.parse((await doctor(files)).stdout) as Report;
  const idsOf = ({ checks }: Report): readonly string[] =>
    checks.map(({ name }) => name).filter((name) => name.startsWith('CVE-'));
  const of = ({ checks }: Report, name: string) => checks.find((one) => one.name === name);

  it('lists the flaws of the versions that package.json names, the severe ones as problems', async () => {
    const found = await report({ 'package.json': manifest({ '@strapi/strapi': '^4.10.7' }) });
    expect(found.ok).to.equal(false);
    expect(idsOf(found)).to.include.members(['CVE-2023-34235', 'CVE-2023-36472', 'CVE-2026-90561']);
    expect(idsOf(found)).to.not.include.members(['CVE-2023-22894']);
    expect(
      idsOf(found).some((id) => ['CVE-2023-39345', 'CVE-2025-64526', 'CVE-2023-48218', 'CVE-2026-22707'].includes(id)),
    ).to.equal(false);
    expect(of(found, 'CVE-2023-34235')).to.deep.include({ state: 'problem' });
    expect(of(found, 'CVE-2023-34235')?.remedy).to.match(/^until then, update to 4\.26\.2; after moving: Keys/);
    expect(of(found, 'CVE-2026-90561')?.remedy).to.match(/^no release of v4 has a fix; after moving: /);
    expect(of(found, 'CVE-2023-36472')?.state).to.equal('advice');
    expect(of(found, 'support')?.text).to.include('Strapi 4.10.7 has got no fixes since 2026-04-30');
  });

  it('says which packages it cannot look into, because they are not installed', async () => {
    const dependencies = manifest({ '@strapi/strapi': '4.26.2', 'strapi-plugin-todo': '^0.0.9' });
    const files = { 'package.json': dependencies };
    expect(of(await report(files), 'plugins')).to.deep.include({ state: 'unknown' });
    expect(of(await report(files), 'plugins')?.text).to.include('strapi-plugin-todo');
    const installed = { ...files, 'node_modules/strapi-plugin-todo/package.json': '{ "version": "0.0.9" }' };
    expect(of(await report(installed), 'plugins')?.state).to.equal('ok');
  });

  const locks: Readonly<Record<string, ProjectFiles>> = {
    npm: {
      'package-lock.json': JSON.stringify({
        packages: { 'node_modules/@strapi/plugin-users-permissions': { version: '4.13.0' } },
      }),
    },
    'npm 6': {
      'package-lock.json': JSON.stringify({ dependencies: { '@strapi/plugin-users-permissions': { version: '4.13.0' } } }),
    },
    yarn: { 'yarn.lock': '\n"@strapi/plugin-users-permissions@^4.0.0":\n  version "4.13.0"\n' },
    'yarn 4': { 'yarn.lock': '\n"@strapi/plugin-users-permissions@npm:^4.0.0":\n  version: 4.13.0\n' },
    pnpm: { 'pnpm-lock.yaml': "packages:\n\n  '@strapi/plugin-users-permissions@4.13.0(react@18.0.0)':\n    resolution: {}\n" },
    node_modules: { 'node_modules/@strapi/plugin-users-permissions/package.json': '{ "version": "4.13.0" }' },
  };
  for (const [name, files] of Object.entries(locks))
    it(`reads versions as ${name} has them`, async () => {
      const dependencies = { '@strapi/strapi': '4.26.2', '@strapi/plugin-users-permissions': '4.26.2' };
      const found = await report({ 'package.json': manifest(dependencies), ...files });
      expect(of(found, 'CVE-2023-39345')?.text).to.include('@strapi/plugin-users-permissions 4.13.0');
    });

  it('leaves out what the configuration closes, and runs config files of both languages', async () => {
    const listed = "export default [{ name: 'strapi::cors', config: { origin: ['https://a.test'] } }, 'strapi::security'];";
    const open = "module.exports = ['strapi::cors', 'strapi::security'];";
    const dependencies = manifest({ '@strapi/strapi': '4.26.2' });
    const found = await report({ 'package.json': dependencies, 'config/middlewares.ts': listed });
    expect(idsOf(found)).to.not.include('CVE-2025-53092');
    expect(idsOf(await report({ 'package.json': dependencies, 'config/middlewares.js': open }))).to.include('CVE-2025-53092');
    const broken = await report({ 'package.json': dependencies, 'config/middlewares.js': "throw new Error('broken')" });
    expect(idsOf(broken)).to.include('CVE-2025-53092');
    expect(of(broken, 'config')).to.deep.include({ state: 'unknown' });
  });

  it('names plugins of others, and flaws of theirs', async () => {
    const plugin = 'strapi-plugin-protected-populate';
    const found = await report({
      'package.json': manifest({ '@strapi/strapi': '4.26.2', [plugin]: '1.3.3' }),
      'config/plugins.js': `module.exports = { 'protected-populate': { enabled: true }, own: { resolve: './src/plugins/own' } };`,
      'src/plugins/own/strapi-server.js': 'module.exports = {};',
    });
    expect(idsOf(found)).to.include('CVE-2023-48218');
    expect(of(found, 'plugins')?.text).to.include('own');
  });

  it('reads projects of v3, and prints lines', async () => {
    const { stdout, exitCode } = await doctor({ 'package.json': manifest({ strapi: '3.2.4', 'strapi-admin': '3.2.4' }) }, []);
    expect(exitCode).to.equal(1);
    expect(stdout)
      .to.match(/^problem {2}support {8}Strapi 3\.2\.4 has got no fixes since 2022-11-30/)
      .and.match(/problem {2}CVE-2020-27664 critical, strapi 3\.2\.4/);
    expect(stdout).to.match(/\n\d+ problems, \d+ pieces of advice$/);
  });

  it('refuses folders without such a project', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-none-'));
    const outside = { directory, env: {} };
    expect((await runCli('doctor', ['--strapi', directory], outside)).stderr).to.include('has no project of Strapi');
    expect((await runCli('doctor', ['--strapi', './none'], outside)).stderr).to.include('there is no folder');
    await rm(directory, { recursive: true });
  });
});
