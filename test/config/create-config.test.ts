import { expect } from 'chai';
import { createConfig } from '../../src/config/create-config.js';
import type { ConfigInput } from '../../src/config/create-config.js';

describe('createConfig', () => {
  it('completes, checks and freezes a part', () => {
    const config = createConfig({ server: { port: 0 }, plugins: { graphql: false } }, { environment: 'test', directory: '/x' });
    expect(config).to.include({ environment: 'test', directory: '/x' });
    expect(config.server).to.include({ port: 0, host: '0.0.0.0' });
    expect(config.plugins.graphql.enabled).to.equal(false);
    expect(config.server).to.be.frozen;
  });

  it('reads environment variables only where they are given', () => {
    process.env.MANGROVE_STRICT = 'true';
    const [without, withThem] = [createConfig(), createConfig({}, { variables: { MANGROVE_STRICT: 'true' } })];
    delete process.env.MANGROVE_STRICT;
    expect(without.api.rest.strict).to.equal(false);
    expect(withThem.api.rest.strict).to.equal(true);
  });

  const bad: readonly (readonly [ConfigInput, string])[] = [
    [JSON.parse('{ "sever": {} }') as ConfigInput, 'config: unknown key sever; did you mean server?'],
    [{ server: { port: -1 } }, 'config.server: port must be >= 0, not -1 (environment variable PORT)'],
  ];
  for (const [input, message] of bad)
    it(`refuses ${JSON.stringify(input)}`, () => expect(() => createConfig(input)).to.throw(message));
});
