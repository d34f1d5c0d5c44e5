import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { createStrapiConfig, readConfigFiles } from '#strapi/load/strapi-config.js';
import { writeProject } from '../support/write-project.js';

describe('strapi.config', () => {
  const cases: readonly (readonly [environment: string, key: string])[] = [
    ['development', 'every'],
    ['staging', 'staging'],
    ['production', 'production'],
    ['prod', 'every'],
  ];
  for (const [environment, key] of cases)
    it(`has the name and the files of NODE_ENV=${environment}`, async () => {
      const directory = await writeProject({
        'config/mine.json': '{ "key": "every" }',
        'config/env/staging/mine.json': '{ "key": "staging" }',
        'config/env/production/mine.json': '{ "key": "production" }',
      });
      const settings = createConfig({ directory, environment });
      const config = createStrapiConfig(settings, await readConfigFiles({ directory }, settings, () => undefined));
      expect([config.environment, config.get('environment'), config.get('mine.key')]).to.deep.equal([
        environment,
        environment,
        key,
      ]);
    });

  const values: readonly (readonly [path: string, value: unknown])[] = [
    ['mine.list[1].a', 2],
    ['mine.list.0', 1],
    ['mine.list["1"]', { a: 2 }],
    ['mine.list.length', 2],
    ['mine.list[7]', 'fallback'],
    ['mine.nothing', null],
    ['mine.none', 'fallback'],
    ['mine.nothing.below', 'fallback'],
    ['server.app.keys[0]', 'first-key'],
  ];
  for (const [path, value] of values)
    it(`returns the value at ${path}`, async () => {
      const directory = await writeProject({
        'config/mine.json': '{ "list": [1, { "a": 2 }], "nothing": null }',
        'config/server.json': '{ "app": { "keys": ["first-key"] } }',
      });
      const settings = createConfig({ directory, environment: 'development' });
      const config = createStrapiConfig(settings, await readConfigFiles({ directory }, settings, () => undefined));
      expect([config.get(path, 'fallback'), config.has(path)]).to.deep.equal([value, value !== 'fallback']);
    });

  it('has the version of Strapi and the id of the project', async () => {
    const manifest = { name: 'shop', version: '1.2.3', strapi: { uuid: 'an-id', packageManager: 'npm' } };
    const directory = await writeProject({ 'package.json': JSON.stringify(manifest) });
    const settings = createConfig({ directory, environment: 'development' });
    const config = createStrapiConfig(settings, await readConfigFiles({ directory }, settings, () => undefined));
    const { info } = config as unknown as { readonly info: object };
    expect(info).to.include({ name: 'shop', version: '1.2.3', strapi: '4.26.2' });
    expect(['info.strapi', 'uuid', 'packageJsonStrapi'].map((name) => config.get(name))).to.deep.equal([
      '4.26.2',
      'an-id',
      { packageManager: 'npm' },
    ]);
  });
});
