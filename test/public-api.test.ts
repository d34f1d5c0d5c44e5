import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import * as mangrove from '../src/index.js';

const entry = new URL('../src/index.ts', import.meta.url);

/** Each is a promise to those who build on Mangrove: a name that is gone breaks their code. */
const names = {
  values: (
    'ApiError ApplicationError ForbiddenError NotFoundError PolicyError UnauthorizedError ValidationError ' +
    'applicationError createServer forbiddenError policyError validationError'
  ).split(' '),
  types: (
    'AdminConfig ApiConfig Attribute AttributeBase BuilderTools CallerState ComponentAttribute Config ConfigFile ' +
    'ContentType DatabaseConfig Entity EntityId EntityParameters EntityService EntryResult Env Environment ' +
    'ErrorCode Extension ExtensionInput ExtensionService FieldConfiguration FieldControl GivenSection ' +
    'GraphqlServicesByName GroupNode Hook HookInput JsonSchema LinkAttribute LinkStorage ListResult MangroveServer ' +
    'Middleware MiddlewareFactory MiddlewaresConfig MorphAttribute NamedCode Next Nexus OfType PartialConfig ' +
    'PartialSection Plugin PluginsConfig Policy PolicyContext PolicyObject ProviderSettings QueriesBuilder Register ' +
    'RegisterInput RegisteredType Registry RequestContext Resolver Resolvers ResolversConfig ReturnInfo ReturnTypes ' +
    'Row ScalarAttribute ScalarType SectionName ServerConfig ServerInput Setting SettingGroup SettingMap ' +
    'SettingNode StateUser Strapi TypeControl TypeRegistry TypeResolvers UsedExtension ValueOf Values ' +
    'VariableReader ZoneAttribute'
  ).split(' '),
};

/** The exports of src/index.ts as `file: names`. */
function exportsOfIndex(): Record<string, readonly string[]> {
  const file = ts.createSourceFile('index.ts', readFileSync(entry, 'utf8'), ts.ScriptTarget.Latest);
  const lists = file.statements.filter(ts.isExportDeclaration).map(({ moduleSpecifier, exportClause }) => {
    const names = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [];
    const from = moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    return [from, names.map(({ name }) => name.text)] as const;
  });
  return Object.fromEntries(lists);
}

describe('the public API', () => {
  it('has these values', () => {
    expect(Object.keys(mangrove).sort()).to.deep.equal(names.values);
  });

  it('has these types', () => {
    const values = new Set(Object.keys(mangrove));
    const types = Object.values(exportsOfIndex()).flatMap((names) => names.filter((name) => !values.has(name)));
    expect(types.sort()).to.deep.equal(names.types);
  });

  it('has nothing of mongo/', () => {
    expect(Object.keys(exportsOfIndex()).filter((file) => file.includes('/mongo/'))).to.deep.equal([]);
  });
});
