import { collectionOf, type AttributeDefinition, type Model } from './model.js';
import { pascalCase } from './names.js';

/** GraphQL types that every schema may have besides those of content types. */
const fixedTypes = [
  ...['Boolean', 'Date', 'DateTime', 'Float', 'I18NLocaleCode', 'ID', 'Int', 'JSON', 'Long', 'String', 'Time', 'Upload'],
  ...['Error', 'FileInfoInput', 'GenericMorph', 'Mutation', 'Pagination', 'PaginationArg', 'PublicationState', 'Query'],
  ...['ResponseCollectionMeta', 'UsersPermissionsCreateRolePayload', 'UsersPermissionsDeleteRolePayload'],
  'UsersPermissionsLogoutPayload',
  ...['UsersPermissionsLoginInput', 'UsersPermissionsLoginPayload', 'UsersPermissionsMe', 'UsersPermissionsMeRole'],
  ...['UsersPermissionsPasswordPayload', 'UsersPermissionsRegisterInput', 'UsersPermissionsUpdateRolePayload'],
  ...['Boolean', 'Date', 'DateTime', 'Float', 'ID', 'Int', 'JSON', 'Long', 'String', 'Time'].map((name) => `${name}FilterInput`),
  // the query `me`
  'Me',
];

/** First segments of paths below the prefix of the REST API that are not those of content types. */
const fixedPaths = ['auth', 'connect', 'content-type-builder', 'i18n', 'upload', 'users', 'users-permissions'];

const service = 'the service itself';

const fixedClaims: ReadonlyMap<string, string> = new Map([
  ...fixedTypes.map((name) => [`GraphQL type:${name}`, service] as const),
  ...fixedPaths.map((name) => [`path:${name}`, service] as const),
]);

/**
 * Returns the conflicts of names, by uid of the later model of each conflict. A collection, a REST path and a GraphQL type each
 * belong to one model. `paths` are first segments below the prefix of the REST API that other routes of the service use.
 */
export function nameConflicts(models: Iterable<Model>, paths: readonly string[] = []): Map<string, string[]> {
  const problems = new Map<string, string[]>();
  const taken = new Map([...fixedClaims, ...paths.map((name) => [`path:${name}`, service] as const)]);
  for (const model of models) {
    const names = claimsOf(model);
    const found = conflicts(names, taken);
    if (found.length > 0) problems.set(model.uid, found);
    else for (const name of names) taken.set(name, model.uid);
  }
  return problems;
}

/**
 * Returns whether no name of the models is used twice, or is a name of `others`. The names of `others` must be distinct already.
 */
export function areDistinct(models: readonly Model[], others: readonly Model[], paths: readonly string[] = []): boolean {
  const names = models.flatMap(claimsOf);
  const claimed = new Set(names);
  const isFree = (name: string): boolean => !claimed.has(name);
  return (
    claimed.size === names.length &&
    names.every((name) => !fixedClaims.has(name)) &&
    paths.every((name) => isFree(`path:${name}`)) &&
    others.every((model) => claimsOf(model).every(isFree))
  );
}

function conflicts(names: readonly string[], taken: ReadonlyMap<string, string>): string[] {
  if (names.every((name) => !taken.has(name)) && new Set(names).size === names.length) return [];
  const twice = names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${describe(name)} is used twice`);
  const clashes = names.flatMap((name) => {
    const owner = taken.get(name);
    return owner === undefined ? [] : [`${describe(name)} is taken by ${owner}`];
  });
  // the names that are derived from a name that is taken are taken as well; only the first is reported
  return [...twice.slice(0, 1), ...clashes.slice(0, 1)];
}

const describe = (name: string): string => name.replace(':', ' ');

const claims = new WeakMap<Model, readonly string[]>();

/** Returns the names that a model uses. They are computed once, because models are immutable. */
function claimsOf(model: Model): readonly string[] {
  const known = claims.get(model);
  if (known !== undefined) return known;
  const names = model.kind === undefined ? graphqlNames(model, pascalCase(`component_${model.uid}`)) : typeClaims(model);
  claims.set(model, names);
  return names;
}

function typeClaims(model: Model): readonly string[] {
  const { singularName = '', pluralName = '' } = model.info;
  const isApi = model.uid.startsWith('api::');
  const plugin = model.uid.startsWith('plugin::') ? (model.uid.slice(8).split('.')[0] ?? '') : '';
  const [singular, plural] = [singularName, pluralName].map((name) => pascalCase(`${plugin}-${name}`));
  const path = model.kind === 'singleType' ? singularName : pluralName;
  return [
    ...(isApi ? [`name:${singularName}`, `name:${pluralName}`, `path:${path}`] : []),
    `collection:${collectionOf(model)}`,
    ...(model.uid.startsWith('admin::') ? [] : [...graphqlNames(model, singular ?? ''), `GraphQL type:${plural ?? ''}`]),
  ];
}

const suffixes = ['', 'Entity', 'EntityResponse', 'EntityResponseCollection', 'RelationResponseCollection'];

function graphqlNames(model: Model, type: string): string[] {
  const own = [...(model.kind === undefined ? [''] : suffixes), 'FiltersInput', 'Input'].map((suffix) => type + suffix);
  const ofAttributes = Object.entries(model.attributes).flatMap(([name, attribute]) => attributeTypes(type, name, attribute));
  return [...own, ...ofAttributes].map((name) => `GraphQL type:${name}`);
}

function attributeTypes(
  type: string,
  name: string,
  { type: kind, enumName, relation = '', target }: AttributeDefinition,
): string[] {
  if (kind === 'enumeration') return [enumName ?? `ENUM_${type.toUpperCase()}_${name.toUpperCase()}`];
  if (kind === 'dynamiczone') return [`${type}${pascalCase(name)}DynamicZone`, `${type}${pascalCase(name)}DynamicZoneInput`];
  return relation.startsWith('morphTo') && target !== undefined ? [`${type}${pascalCase(name)}Morph`] : [];
}
