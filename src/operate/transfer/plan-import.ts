import { addedTo, shapeOf } from '#model/schema/added-attributes.js';
import { buildRegistry, type RegistryBuild } from '#model/schema/build-registry.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { builtinModels } from '#model/schema/builtin-models.js';
import { type ContentType, type Registry } from '#model/schema/content-type.js';
import { isRecord, recordIn, type Values } from '#base/values.js';
import type { Model } from '#model/schema/model.js';
import { warningText } from '#model/schema/report-models.js';
import { isPanelType } from './panel-records.js';
import type { Manifest } from './source.js';

/** The plan of an import for the types of its source. */
export interface ImportPlan {
  /** The models of the service together with the new ones. */
  readonly registry: Registry;
  /** The same models as they are written, by uid. */
  readonly definitions: RegistryBuild['models'];
  /** The new models to store. */
  readonly models: readonly Model[];
  /** The types whose entries are imported, by uid. */
  readonly types: ReadonlyMap<string, ContentType>;
  /** The reasons why entries of other types are not imported, by uid. */
  readonly refused: ReadonlyMap<string, string>;
  /** The attributes of the source that cannot be stored, with the reasons, by uid and name. */
  readonly leftOut: Registry['leftOut'];
  /** The reasons why models of the service and the source are refused, by uid. */
  readonly problems: RegistryBuild['problems'];
  /** A line for each part of the new models that is served differently from its definition. */
  readonly warnings: readonly (readonly [uid: string, text: string])[];
}

interface PlanContext {
  readonly stored: readonly { readonly uid: string }[];
  /** The settings for building the registry, including the collections with documents of other applications. */
  readonly settings: ModelSettings;
}

/** Decides which models and types are imported. Models that are already stored are kept. */
export function planImport(manifest: Manifest, { stored, settings }: PlanContext): ImportPlan {
  const storedUids = new Set(stored.map(({ uid }) => uid));
  const newModels = manifest.schemas.flatMap((schema) => modelOf(schema) ?? []).filter(({ uid }) => !storedUids.has(uid));
  const build = buildRegistry([...stored, ...newModels], settings);
  const models = newModels.filter(({ uid }) => !build.problems.has(uid)) as unknown as readonly Model[]; // checked by the build
  const uids = new Set([...manifest.schemas.map(({ uid }) => String(uid)), ...manifest.entities.keys()]);
  const types = [...uids].flatMap((uid) => comingType(uid, manifest, build) ?? []);
  const refused = [...manifest.entities.keys()].filter((uid) => !isPanelType(uid) && types.every((type) => type.uid !== uid));
  return {
    registry: build.registry,
    definitions: build.models,
    models,
    types: new Map(types.map((type) => [type.uid, type])),
    refused: new Map(refused.map((uid) => [uid, whyNot(uid, build)])),
    leftOut: new Map(manifest.schemas.flatMap((schema) => leftOutOf(schema, build.registry))),
    problems: build.problems,
    warnings: models.flatMap(({ uid }) => (build.warnings.get(uid) ?? []).map((warning) => [uid, warningText(warning)] as const)),
  };
}

/**
 * Returns a type if it is imported, otherwise null. Types of the project are imported even without entries, built-in types only
 * with entries.
 */
function comingType(uid: string, { entities }: Manifest, { registry, problems }: RegistryBuild): ContentType | null {
  const type = registry.types.get(uid);
  if (type === undefined || type.kind === 'component' || problems.has(uid) || uid.startsWith('admin::')) return null;
  return entities.has(uid) || !builtins.has(uid) ? type : null;
}

type LeftOut = readonly [uid: string, reasons: ReadonlyMap<string, string>];

/** Returns the attributes of a schema of the source that its type lacks; none if the type itself is not there. */
function leftOutOf(schema: Values, { types, leftOut }: Registry): readonly LeftOut[] {
  const type = types.get(String(schema['uid']));
  if (type === undefined) return [];
  const reasons = leftOut.get(type.uid);
  const lacking = ownAttributes(schema).flatMap(([name]) => (type.attributes.has(name) ? [] : [name]));
  const own = builtins.has(type.uid) ? lacking.filter((name) => reasons?.has(name)) : lacking;
  if (own.length === 0) return [];
  return [[type.uid, new Map(own.map((name) => [name, reasons?.get(name) ?? 'the stored model has no such attribute']))]];
}

/** Returns the reason why entries of a type are not imported. */
export function whyNot(uid: string, { problems }: Pick<RegistryBuild, 'problems'>): string {
  const problem = problems.get(uid);
  if (problem !== undefined) return `the model is refused: ${problem.join('; ')}`;
  if (uid.startsWith('admin::') || uid.startsWith('strapi::')) return 'data of the admin panel are not imported';
  return uid.startsWith('plugin::') ? 'the plugin is not offered' : 'the source has no model for it';
}

type Document = { readonly uid: string } & Values;

const builtins = new Map(builtinModels.map((model) => [model.uid, model]));

/** Attributes of the review workflows of Strapi, which lead to types of its panel. */
const ofWorkflows: ReadonlySet<string> = new Set(['strapi_stage', 'strapi_reviewWorkflows_stage', 'strapi_assignee']);

/** Returns the attributes of a schema of the source that neither the service nor Strapi has added. */
function ownAttributes(schema: Values): (readonly [name: string, attribute: unknown])[] {
  const added = addedTo(shapeOf({ ...schema, uid: String(schema['uid']) }));
  const isOfWorkflows = (name: string, attribute: unknown): boolean =>
    ofWorkflows.has(name) && isRecord(attribute) && String(attribute['target']).startsWith('admin::');
  return Object.entries(recordIn(schema, 'attributes')).filter(
    ([name, attribute]) => !added.has(name) && !isOfWorkflows(name, attribute),
  );
}

/** Returns the model to store for a schema of Strapi; null if the project does not define it. */
function modelOf(schema: Values): Document | null {
  const { uid, kind, collectionName, info, options, pluginOptions, attributes } = schema;
  if (typeof uid !== 'string' || !isRecord(attributes)) return null;
  const builtin = builtins.get(uid);
  if (/^(admin|strapi)::/.test(uid) || (uid.startsWith('plugin::') && builtin === undefined)) return null;
  const own = ownAttributes(schema).filter(([name]) => !Object.hasOwn(builtin?.attributes ?? {}, name));
  if (builtin !== undefined && own.length === 0) return null;
  const shape = { kind: uid.includes('::') ? kind : undefined, collectionName, options, pluginOptions };
  const given = Object.entries(shape).filter(([, value]) => value !== undefined && value !== null);
  return { uid, ...Object.fromEntries(given), info, attributes: Object.fromEntries(own) };
}
