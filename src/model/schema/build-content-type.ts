import { addedTo, type Shape } from './added-attributes.js';
import { buildAttribute } from './build-attribute.js';
import { builtinModels } from './builtin-models.js';
import type { Added, Attribute, ContentType, ShardKey } from './content-type.js';
import { isVisible } from './describe-model.js';
import { aliasesOf } from './renames.js';
import { attributesOfOptions, type ModelOption, optionsOf } from './model-option.js';
import { collectionOf, type AttributeDefinition, type Model } from './model.js';

/** Settings of the service that shape every type. */
export interface ModelSettings {
  /** `api.responses.privateAttributes` */
  readonly privateAttributes: readonly string[];
  /** Whether localization is switched on. */
  readonly localization: boolean;
  /** `api.customFields`: types of custom fields by their names. */
  readonly customFields: Readonly<Record<string, string>>;
  /** Whether there is a GraphQL schema; true by default. */
  readonly graphql?: boolean;
  /** GraphQL types that settings add to the schema; none by default. */
  readonly graphqlTypes?: readonly string[];
  /** Collections with documents that the service has not written, which a model must adopt; none by default. */
  readonly foreign?: ReadonlySet<string>;
  /** First path segments below the prefix of the REST API that other routes use; none by default. */
  readonly paths?: readonly string[];
  /** The options of models that features add; none by default. */
  readonly options?: readonly ModelOption[] | undefined;
  /** The content types of the service itself. */
  readonly builtin: readonly Model[];
}

export const defaultModelSettings: ModelSettings = {
  privateAttributes: [],
  localization: true,
  customFields: {},
  builtin: builtinModels,
};

/**
 * Builds the content type or component of a checked model, with the attributes that the service adds. `inGraphql` is whether the
 * GraphQL schema contains it.
 */
export function buildContentType(model: Model, settings: ModelSettings, inGraphql: boolean): ContentType {
  const { singularName = '', pluralName = '', displayName = '', description = '' } = model.info;
  const shape = {
    kind: model.kind ?? ('component' as const),
    uid: model.uid,
    singularName,
    pluralName,
    displayName: displayName || singularName || model.uid,
    description,
    inGraphql,
    listed: isVisible(model, 'content-manager'),
    draftAndPublish: model.options?.draftAndPublish === true,
    localized: settings.localization && model.pluginOptions?.['i18n']?.localized === true,
    options: optionsOf(model, settings.options ?? []),
    ...withAliases(model),
    ...(model.renamedFrom !== undefined && { otherUid: model.renamedFrom }),
  };
  const privateNames = new Set([...(model.options?.privateAttributes ?? []), ...settings.privateAttributes]);
  const build = (name: string, definition: AttributeDefinition) => buildAttribute(name, definition, model, privateNames);
  const own = Object.entries(model.attributes).map(([name, definition]) => build(name, definition));
  if (model.kind === undefined) return { ...shape, collection: '', shard: null, attributes: byName(own) };
  return {
    ...shape,
    collection: collectionOf(model),
    shard: shardKeyOf(model),
    attributes: byName([...own, ...systemAttributes(model, shape, build), ...optionAttributes(model, settings, build)]),
  };
}

/** Returns the aliases of a model as a part of its type; nothing if there are none. */
function withAliases(model: Model): Pick<ContentType, 'aliases'> {
  const aliases = aliasesOf(model);
  return aliases === null ? {} : { aliases };
}

function shardKeyOf({ shard = 'none' }: Model): ShardKey | null {
  if (typeof shard !== 'string') return shard;
  return shard === '_id' ? { _id: 'hashed' } : null;
}

const byName = (attributes: readonly Attribute[]): ReadonlyMap<string, Attribute> =>
  new Map(attributes.map((attribute) => [attribute.name, attribute]));

const instant: AttributeDefinition = { type: 'datetime', visible: false, index: true };

type Build = (name: string, definition: AttributeDefinition) => Attribute;

/** Returns the attributes that options of a model add to its type. */
const optionAttributes = (model: Model, { options = [] }: ModelSettings, build: Build): Attribute[] =>
  Object.entries(attributesOfOptions(model, options)).map(([name, definition]) => ({
    ...build(name, { ...definition, writable: false, visible: false, searchable: false }),
    localized: true,
    added: 'option',
  }));

/** Returns the attributes that the service adds to a type. */
function systemAttributes({ uid, options }: Model, shape: Shape, build: Build): Attribute[] {
  const creator: AttributeDefinition = {
    type: 'relation',
    relation: 'oneToOne',
    target: 'admin::user',
    writable: false,
    visible: false,
    private: options?.populateCreatorFields !== true,
  };
  const others: AttributeDefinition = { type: 'relation', relation: 'oneToMany', target: uid, visible: false };
  const definitions: Readonly<Record<Exclude<Added, 'option'>, AttributeDefinition>> = {
    time: { ...instant, writable: false },
    state: instant,
    creator,
    locale: { type: 'string', visible: false },
  };
  return [...addedTo(shape)].map(([name, added]) =>
    name === 'localizations'
      ? Object.assign(build(name, others), { added, storage: { kind: 'localizations' } as const })
      : { ...build(name, definitions[added]), added },
  );
}
