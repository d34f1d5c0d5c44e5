import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import * as mangrove from '#index.js';

const entry = new URL('../src/index.ts', import.meta.url);

/** Each is a promise to those who build on Mangrove: a name that is gone breaks their code. */
const names = {
  values: (
    'ApiError ApplicationError ForbiddenError NotFoundError PolicyError UnauthorizedError ValidationError ' +
    'applicationError createServer factories forbiddenError policyError validationError'
  ).split(' '),
  types: (
    'Added AdminConfig AgentTool ApiConfig Attribute AttributeBase BackupConfig BuilderTools CacheControl CacheHint CachePolicy CacheScope CallerState CodeContext CodeHandler CodeInfo ' +
    'CodeMiddleware CodePolicy CodeTransaction CodeWebhook ComponentAttribute Config ConfigFile ContentType Controller CorsOrigin ' +
    'CustomName DatabaseConfig EmptyTransaction EnginePage EngineParameters Entity EntityId EntityManager EntityParameters EntityService EntityValidator EntryResult Env ' +
    'Environment ErrorCode ErrorDetails ErrorParts EventHub Extension ExtensionInput ExtensionService Factories FactoryInput FeatureSettings FieldConfiguration FieldControl FilterMapper ' +
    'GivenSection GraphqlServicesByName GroupNode Hook HookInput JsonSchema LifecycleAction LifecycleEvent ' +
    'LinkAttribute LinkStorage ListResult Listener ManagedMethod MangroveServer Middleware MiddlewareFactory MiddlewareItem ' +
    'MiddlewaresConfig ModelLike ModelMembers MorphAttribute NameOf NamedCode NamedStore Naming Next Nexus OfType Overrides PartialConfig PartialSection Plugin ' +
    'PluginsConfig Policy PolicyContext PolicyObject ProfileMap ProjectEntityService ' +
    'ProjectStrapi ProviderSettings QueriesBuilder QueryEngine ReadKind ReceivedFile Register RegisterInput RegisteredType ' +
    'Registry RequestContext Resolver Resolvers ResolversConfig ReturnInfo ReturnTypes RouteConfig RouterOptions Row ' +
    'ScalarAttribute ScalarType SectionName ServerConfig ServerInput Service Setting SettingGroup SettingMap ' +
    'SettingNode ShardKey StateUser StoreKey Strapi StrapiAi StrapiApi StrapiConfig StrapiContainer StrapiCron StrapiDatabase StrapiModel StrapiPlugin StrapiRoute StrapiRouter StrapiServer ' +
    'StrapiStore Subscriber SubscriberMap TextSearch TypeControl TypeRegistry TypeResolvers UsedExtension ValidateEntity ValidatorOptions ValueOf Values ' +
    'VariableReader WebhookStore WebhooksConfig WithData WriteAction WriteKind WrittenMany ZoneAttribute'
  ).split(' '),
};

/** The exports of src/index.ts: files and names, one pair for each statement. */
function exportsOfIndex(): readonly (readonly [file: string, names: readonly string[]])[] {
  const file = ts.createSourceFile('index.ts', readFileSync(entry, 'utf8'), ts.ScriptTarget.Latest);
  return file.statements.filter(ts.isExportDeclaration).map(({ moduleSpecifier, exportClause }) => {
    const names = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [];
    const from = moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    return [from, names.map(({ name }) => name.text)] as const;
  });
}

describe('the public API', () => {
  it('has these values', () => {
    expect(Object.keys(mangrove).sort()).to.deep.equal(names.values);
  });

  it('has these types', () => {
    const values = new Set(Object.keys(mangrove));
    const types = exportsOfIndex().flatMap(([, names]) => names.filter((name) => !values.has(name)));
    expect(types.sort()).to.deep.equal(names.types);
  });

  it('exports no type of src/store', () => {
    expect(exportsOfIndex().filter(([file]) => file.includes('/mongo/'))).to.deep.equal([]);
  });
});
