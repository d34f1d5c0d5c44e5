import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { features } from '#features.js';
import { loadConfig } from '#settings/load-config.js';
import { sectionsWith } from '#settings/sections.js';

const load = async (key: string): Promise<string | null> => {
  const variables = { SEARCH_ENGINE: 'typesense', SEARCH_URL: 'http://engine.test', SEARCH_KEY: key };
  const { api } = await loadConfig({ directory: tmpdir(), variables, sections: sectionsWith(features) });
  return api.search.key;
};

describe('the settings of search engines', () => {
  it('have a key that a header takes, which no error shows', async () => {
    expect(await load('abc-DEF_1')).to.equal('abc-DEF_1');
    for (const key of ['abc\ndef', 'abc def', 'abcdéf']) {
      const error: unknown = await load(key).catch((one: unknown) => one);
      expect(error).to.be.instanceOf(Error);
      expect((error as Error).message).to.equal(
        'config/api: search.key must be visible ASCII characters without spaces, as headers take them (environment variable SEARCH_KEY)',
      );
    }
  });
});
