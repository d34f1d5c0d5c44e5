import { expect } from 'chai';
import { createConfig, type PartialConfig } from '#settings/create-config.js';

describe('createConfig', () => {
  it('completes, checks and freezes a part', () => {
    const config = createConfig({ server: { port: 0 }, plugins: { graphql: false }, environment: 'test', directory: '/x' });
    expect(config).to.include({ environment: 'test', directory: '/x' });
    expect(config.server).to.include({ port: 0, host: '0.0.0.0' });
    expect(config.plugins.graphql.enabled).to.equal(false);
    expect(config.server).to.be.frozen;
  });

  it('reads no environment variable but NODE_ENV', () => {
    const before = process.env.NODE_ENV;
    Object.assign(process.env, { MANGROVE_STRICT: 'true', NODE_ENV: 'staging' });
    const config = createConfig();
    delete process.env.MANGROVE_STRICT;
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
    expect(config.api.rest.strict).to.equal(false);
    expect(config.environment).to.equal('production');
  });

  const environments: readonly (readonly [given: PartialConfig, environment: string, name: string])[] = [
    [{ environment: 'staging' }, 'production', 'staging'],
    [{ environment: '' }, 'development', 'development'],
    [createConfig({ environment: 'staging' }), 'production', 'staging'],
    [createConfig({ environment: 'development' }), 'development', 'development'],
    [{ ...createConfig({ environment: 'development' }), environment: 'production' }, 'production', 'production'],
    [{ ...createConfig({ environment: 'staging' }), environment: 'test' }, 'test', 'test'],
  ];
  for (const [given, environment, environmentName] of environments)
    it(`takes ${given.environmentName ?? 'no'} name of environment ${String(given.environment)}`, () => {
      expect(createConfig(given)).to.include({ environment, environmentName });
    });

  const bad: readonly (readonly [PartialConfig, string])[] = [
    [JSON.parse('{ "sever": {} }') as PartialConfig, 'config: unknown key sever; did you mean server?'],
    [
      { plugins: { 'users-permissions': { config: { appSchemes: ['javascript'] } } } },
      'config.plugins: users-permissions.config.appSchemes.0 must NOT be valid, not ["javascript"]',
    ],
    [{ server: { port: -1 } }, 'config.server: port must be >= 0, not -1 (environment variable PORT)'],
  ];
  for (const [input, message] of bad)
    it(`refuses ${JSON.stringify(input)}`, () => expect(() => createConfig(input)).to.throw(message));
});
