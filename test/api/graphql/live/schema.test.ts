import { expect } from 'chai';
import { printSchema, validateSchema } from 'graphql';
import { buildSchema, type SchemaOptions } from '#api/graphql/endpoint/build-schema.js';
import { shadowOf, firstRules, newRules } from '#api/graphql/types/shadow.js';
import { syncOption } from '#http/sync-option.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { syncModels } from '../../sync/sync-models.js';

const settings = { ...defaultModelSettings, options: [syncOption], localization: true };
const print = async (models: readonly { readonly uid: string }[], options: SchemaOptions): Promise<string> => {
  const { registry } = buildRegistry(models, settings);
  const schema = await buildSchema(registry, options);
  expect(validateSchema(schema)).to.deep.equal([]);
  return printSchema(schema);
};

const without = syncModels.filter(
  ({ uid }) => uid !== 'api::post.post' && uid !== 'api::author.author' && !uid.startsWith('shared'),
);
const hidden = shadowOf(new Map([...firstRules(), ['api::post.post', { ...newRules(), queries: false }]]));

describe('the schema of subscriptions', () => {
  it('has the changes of types with sync, with the arguments of their lists', async () => {
    const text = await print(syncModels, { subscriptions: true });
    expect(text).to.contain('directive @live on QUERY');
    expect(text).to.contain('type Subscription {');
    expect(text).to.match(
      /postsChanges\(filters: PostFiltersInput, locale: I18NLocaleCode, publicationState: PublicationState = LIVE, token: String\): Post_Change!/,
    );
    expect(text).to.match(
      /authorsChanges\(filters: AuthorFiltersInput, publicationState: PublicationState = LIVE, token: String\): Author_Change!/,
    );
    expect(text).to.contain('type Post_Change {\n  op: Change_Operation!\n  id: ID\n  token: String\n  entry: PostEntity\n}');
    expect(text).not.to.contain('tagsChanges');
  });

  const absent: readonly (readonly [about: string, models: typeof syncModels, options: SchemaOptions])[] = [
    ['the setting', syncModels, {}],
    ['a type with sync', without, { subscriptions: true }],
    ['generated fields', syncModels, { subscriptions: true, shadowCrud: false }],
  ];
  for (const [about, models, options] of absent)
    it(`is that of queries without ${about}`, async () => {
      expect(await print(models, options)).to.equal(await print(models, { ...options, subscriptions: false }));
    });

  it('has no changes of a type whose list is not a query', async () => {
    const text = await print(syncModels, { subscriptions: true, shadow: hidden });
    expect(text).to.contain('authorsChanges').and.not.to.contain('postsChanges');
  });
});
