import { memoize } from '#base/caches.js';
import { hasDraftsBeside } from './drafts-beside.js';
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

/** Mutations of the service that a generated one could have the name of. */
const fixedMutations = ['deleteMe', 'updateFileInfo'];

const service = 'the service itself';

/**
 * Where a name belongs to one model. A model without its names in the service is refused; one without its names in GraphQL is left
 * out of the schema.
 */
type Realm = 'service' | 'graphql';

/** The owners of names. */
type Owners = ReadonlyMap<string, string>;

const ownedByService = (names: readonly string[]): Owners => new Map(names.map((name) => [name, service]));

const graphqlOwners = ownedByService([
  ...fixedTypes.map((name) => `type:${name}`),
  ...fixedMutations.map((name) => `mutation:${name}`),
]);

/** The reasons why models cannot have their names, by uid. */
export type Conflicts = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the conflicts of names, by uid of the later model of each conflict. A collection and a REST path belong to one model.
 * `paths` are first segments below the prefix of the REST API that other routes of the service use. The names of `others` must be
 * distinct already.
 */
export function serviceConflicts(models: readonly Model[], others: readonly Model[], paths: readonly string[] = []): Conflicts {
  const owners = ownedByService(paths.map((name) => `path:${name}`));
  return areDistinct(models, others, 'service', owners) ? none : findConflicts([...others, ...models], 'service', owners);
}

const none: Conflicts = new Map();

/** The type of the argument `status` of mutations. A model may have its name while none has drafts beside published entries. */
const statusType = 'PublicationStatus';

/** The models of the service, and the types that settings add to its schema. */
interface GraphqlNames {
  readonly builtin: readonly Model[];
  readonly graphqlTypes?: readonly string[] | undefined;
}

/**
 * Returns the models that the GraphQL schema cannot contain, by uid, with the name that the service or another model has. A name
 * belongs to a built-in model, then to that with the shortest uid, so that `page` keeps `PageInput` from `page-input`. The names of
 * `others` must be distinct already.
 */
export function graphqlConflicts(
  models: readonly Model[],
  others: readonly Model[],
  { builtin, graphqlTypes = [] }: GraphqlNames,
): Conflicts {
  const hasStatus = [...others, ...models].some(hasDraftsBeside);
  const added = hasStatus ? [...graphqlTypes, statusType] : graphqlTypes;
  const owners: Owners = new Map([...graphqlOwners, ...ownedByService(added.map((name) => `type:${name}`))]);
  const isDistinct = hasStatus
    ? areDistinct([...others, ...models], [], 'graphql', owners)
    : areDistinct(models, others, 'graphql', owners);
  if (isDistinct) return none;
  const first = new Set(builtin.map(({ uid }) => uid));
  const rank = ({ uid }: Model): number => (first.has(uid) ? 0 : uid.length);
  const all = [...others, ...models].sort((a, b) => rank(a) - rank(b) || (a.uid < b.uid ? -1 : 1));
  return findConflicts(all, 'graphql', owners);
}

/** Returns whether no name of the models is used twice, or is a name of `others` or of another owner. */
function areDistinct(models: readonly Model[], others: readonly Model[], realm: Realm, owners: Owners): boolean {
  const names = models.flatMap((model) => claimsOf(model)[realm]);
  const claimed = new Set(names);
  return (
    claimed.size === names.length &&
    names.every((name) => !owners.has(name)) &&
    others.every((model) => claimsOf(model)[realm].every((name) => !claimed.has(name)))
  );
}

function findConflicts(models: Iterable<Model>, realm: Realm, owners: Owners): Conflicts {
  const problems = new Map<string, readonly string[]>();
  const taken = new Map(owners);
  for (const model of models) {
    const names = claimsOf(model)[realm];
    const found = conflicts(names, taken).map((problem) => (realm === 'graphql' ? `GraphQL ${problem}` : problem));
    if (found.length > 0) problems.set(model.uid, found);
    else for (const name of names) taken.set(name, model.uid);
  }
  return problems;
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

type Claims = Readonly<Record<Realm, readonly string[]>>;

/** Returns the names that a model uses. They are computed once, because models are immutable. */
const claimsOf = memoize((model: Model): Claims =>
  model.kind === undefined
    ? { service: [], graphql: graphqlNames(model, pascalCase(`component_${model.uid}`)) }
    : { service: serviceClaims(model), graphql: graphqlClaims(model) },
);

function serviceClaims(model: Model): readonly string[] {
  const { singularName = '', pluralName = '' } = model.info;
  const path = model.kind === 'singleType' ? singularName : pluralName;
  const ofApi = model.uid.startsWith('api::') ? [`name:${singularName}`, `name:${pluralName}`, `path:${path}`] : [];
  return [...ofApi, `collection:${collectionOf(model)}`];
}

function graphqlClaims(model: Model): readonly string[] {
  if (model.uid.startsWith('admin::')) return [];
  const { singularName = '', pluralName = '' } = model.info;
  const plugin = model.uid.startsWith('plugin::') ? (model.uid.slice(8).split('.')[0] ?? '') : '';
  const [singular = '', plural = ''] = [singularName, pluralName].map((name) => pascalCase(`${plugin}-${name}`));
  return [...graphqlNames(model, singular), `type:${plural}`, ...mutationNames(model, singular)];
}

function mutationNames({ kind, pluginOptions }: Model, type: string): string[] {
  const ofKind = kind === 'collectionType' ? [`create${type}`] : [];
  const ofLocales = pluginOptions?.['i18n']?.localized === true ? [`create${type}Localization`] : [];
  return [...ofKind, `update${type}`, `delete${type}`, ...ofLocales].map((name) => `mutation:${name}`);
}

const suffixes = [
  ...['', 'Entity', 'EntityResponse', 'EntityResponseCollection', 'RelationResponseCollection'],
  ...['EntityConnection', 'EntityEdge'],
];

function graphqlNames(model: Model, type: string): string[] {
  const own = [...(model.kind === undefined ? [''] : suffixes), 'FiltersInput', 'Input'].map((suffix) => type + suffix);
  const ofAttributes = Object.entries(model.attributes).flatMap(([name, attribute]) => attributeTypes(type, name, attribute));
  return [...own, ...ofAttributes].map((name) => `type:${name}`);
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
