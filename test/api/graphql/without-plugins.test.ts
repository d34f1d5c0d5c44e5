import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { withoutPlugins } from '#api/graphql/endpoint/create-graphql.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { bookshopModels } from '../../support/read-project.js';

/** A part that is switched off, and how the names of its types begin. */
const parts = [
  ['users-permissions', 'UsersPermissions'],
  ['i18n', 'I18N'],
  ['upload', 'Upload'],
] as const;

describe('a schema without parts that are switched off', () => {
  const { registry } = buildRegistry(bookshopModels());

  for (const [name, prefix] of parts) {
    it(name, async () => {
      const namesWith = async (enabled: boolean): Promise<string[]> => {
        const { plugins } = createConfig({ plugins: { [name]: { enabled } } });
        const schema = await buildSchema(registry, { shadow: withoutPlugins(plugins), shadowCrud: true });
        return Object.keys(schema.getTypeMap()).filter((type) => type.startsWith(prefix) && type !== 'I18NLocaleCode');
      };
      expect(await namesWith(true)).not.to.deep.equal([]);
      expect(await namesWith(false)).to.deep.equal([]);
    });
  }
});
