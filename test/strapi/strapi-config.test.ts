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
});
