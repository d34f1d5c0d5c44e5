import { isDeepStrictEqual } from 'node:util';
import { memoize, memoizePair } from '#base/caches.js';
import { buildContentType, defaultModelSettings, type ModelSettings } from './build-content-type.js';
import { collectLeftOut } from './left-out.js';
import { type Conflicts, graphqlConflicts, serviceConflicts } from './name-conflicts.js';
import type { ContentType, Registry } from './content-type.js';
import { componentsOf } from './parts.js';
import { collectionOf, type Model, type ModelDocument, type ModelWarning } from './model.js';
import { readModel, type ModelReading } from './read-model.js';
import { settleReferences, type SettledModel } from './settle-references.js';

/** A registry with the models that it was built from, and their problems by uid. */
export interface RegistryBuild {
  readonly registry: Registry;
  /** The models in force, including built-in ones, as they are written. */
  readonly models: ReadonlyMap<string, Model>;
  /** The reasons why documents are not in force as they are stored, by uid. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** Parts of the models in force that are served differently from their documents, by uid. */
  readonly warnings: ReadonlyMap<string, readonly ModelWarning[]>;
  /** The readings behind the models in force, and their settled forms, which the next build reuses. */
  readonly readings: ReadonlyMap<string, ModelReading>;
  readonly settled: ReadonlyMap<string, SettledModel>;
}

/** A build with the same settings. */
type Previous = Pick<RegistryBuild, 'registry' | 'models' | 'readings' | 'settled'>;

/**
 * Builds a snapshot from all documents of `_models`. A document that fails its check keeps the form that it had in the previous
 * snapshot, or is left out if it had none. Unchanged models and their types are the same objects in both snapshots, so that the
 * cost of a build depends on what has changed.
 */
export function buildRegistry(
  documents: readonly ModelDocument[],
  settings: ModelSettings = defaultModelSettings,
  previous?: Previous,
): RegistryBuild {
  const problems = new Map<string, readonly string[]>();
  const readings = new Map<string, ModelReading>();
  for (const document of documents) {
    const before = previous?.readings.get(document.uid);
    const isKept = before !== undefined && isDeepStrictEqual(document, before.document);
    const reading = isKept ? withDocument(before, document) : readModel(document, settings);
    const found = isKept ? [] : problemsOf(reading, before, settings);
    if (found.length > 0) problems.set(document.uid, found);
    const used = found.length > 0 ? before : reading;
    if (used !== undefined) readings.set(document.uid, used);
  }
  const models = resolveConflicts(readings, problems, settings, previous);
  const settled = settleReferences({ models, problems }, previous);
  const unnamed = outsideGraphql(models, settings, previous);
  const types = [...settled.values()].map(({ model }) => typeOf(model, !unnamed.has(model.uid), settings, previous));
  const warnings = collectWarnings({ readings, settled }, unnamed);
  const registry = {
    ...indexTypes(types, (previous?.registry.version ?? 0) + 1),
    leftOut: collectLeftOut(types, { models, problems, warnings, documents }),
  };
  return { registry, models, problems, warnings, readings, settled };
}

/** Returns the reading with its document replaced by an equal one, so that the next comparison finds the same object. */
const withDocument = (reading: ModelReading, document: unknown): ModelReading =>
  document === reading.document ? reading : { ...reading, document };

/** Returns the documents that are not in force as they are. */
export const notInForce = (
  documents: readonly ModelDocument[],
  { readings }: Pick<RegistryBuild, 'readings'>,
): readonly ModelDocument[] => documents.filter((document) => !isDeepStrictEqual(readings.get(document.uid)?.document, document));

/** Returns the reasons why a document cannot be in force as it is stored. `before` is its reading in the previous snapshot. */
function problemsOf(
  { model, problems }: ModelReading,
  before: ModelReading | undefined,
  { foreign }: ModelSettings,
): readonly string[] {
  if (model === null) return problems;
  if (model.kind === undefined || model.adopt === true) return [];
  const collection = collectionOf(model);
  const isInForce = before?.model != null && collectionOf(before.model) === collection;
  if (isInForce || foreign?.has(collection) !== true) return [];
  return [`the collection ${collection} holds documents that were never served; adopt: true serves them`];
}

/** Returns the built-in models and those of documents, in a stable order. */
function modelsOf(readings: ReadonlyMap<string, ModelReading>, { builtin }: ModelSettings): ReadonlyMap<string, Model> {
  const models = new Map(builtin.map((model) => [model.uid, model]));
  for (const [uid, { model }] of readings) if (model !== null) models.set(uid, model);
  return models;
}

/**
 * Resets models with names that other models have to their previous form, or removes them if they have none. If two models claim
 * a name, the new or changed one is at fault, otherwise the later one. Returns the remaining models.
 */
function resolveConflicts(
  readings: Map<string, ModelReading>,
  problems: Map<string, readonly string[]>,
  settings: ModelSettings,
  previous: Previous | undefined,
): RegistryBuild['models'] {
  const formerOf = (uid: string) => previous?.readings.get(uid);
  for (let round = 0; round <= readings.size; round++) {
    const models = modelsOf(readings, settings);
    const isNew = ({ uid }: Model): boolean => readings.get(uid)?.model !== formerOf(uid)?.model;
    const added: Model[] = [];
    const others: Model[] = [];
    for (const model of models.values()) (isNew(model) ? added : others).push(model);
    const conflicts = serviceConflicts(added, others, settings.paths);
    if (conflicts.size === 0) return models;
    for (const [uid, lines] of conflicts) {
      if (!problems.has(uid)) problems.set(uid, lines);
      const former = formerOf(uid);
      if (former !== undefined && former !== readings.get(uid)) readings.set(uid, former);
      else readings.delete(uid);
    }
  }
  return modelsOf(readings, settings);
}

/** Returns the models that the GraphQL schema cannot contain. The result does not depend on the previous snapshot. */
function outsideGraphql(models: RegistryBuild['models'], settings: ModelSettings, previous: Previous | undefined): Conflicts {
  if (settings.graphql === false) return new Map();
  const isKept = (model: Model): boolean =>
    previous?.models.get(model.uid) === model && previous.registry.types.get(model.uid)?.inGraphql === true;
  const all = [...models.values()];
  return graphqlConflicts(
    all.filter((model) => !isKept(model)),
    all.filter(isKept),
    settings,
  );
}

function typeOf(model: Model, inGraphql: boolean, settings: ModelSettings, previous: Previous | undefined): ContentType {
  const previousType = previous?.settled.get(model.uid)?.model === model ? previous.registry.types.get(model.uid) : undefined;
  return previousType?.inGraphql === inGraphql ? previousType : buildContentType(model, settings, inGraphql);
}

function collectWarnings(
  { readings, settled }: Pick<RegistryBuild, 'readings' | 'settled'>,
  outside: Conflicts,
): RegistryBuild['warnings'] {
  const all = [...settled].map(([uid, { warnings }]) => {
    const ofGraphql = outside
      .get(uid)
      ?.map((problem) => ({ attribute: null, text: `is left out of GraphQL: ${problem}`, needs: null }));
    return [uid, [...(readings.get(uid)?.warnings ?? []), ...warnings, ...(ofGraphql ?? [])]] as const;
  });
  return new Map(all.filter(([, warnings]) => warnings.length > 0));
}

function indexTypes(types: readonly ContentType[], version: number): Omit<Registry, 'leftOut'> {
  const emptyIndex = () => new Map<string, ContentType>();
  const registry = { types: emptyIndex(), byPluralName: emptyIndex(), bySingularName: emptyIndex() };
  for (const type of types) {
    const { uid, kind, pluralName, singularName } = type;
    registry.types.set(uid, type);
    if (!uid.startsWith('api::')) continue;
    if (kind === 'collectionType') registry.byPluralName.set(pluralName, type);
    else if (kind === 'singleType') registry.bySingularName.set(singularName, type);
  }
  return { version, ...registry };
}

/** Returns the types that are new or differ from the previous snapshot, and those that contain such a component at any depth. */
export const changedTypes = (registry: Registry, previous: Registry | null): readonly ContentType[] =>
  previous === null ? servedTypes(registry) : findChanged(registry, previous);

const servedTypes = ({ types }: Registry): readonly ContentType[] =>
  [...types.values()].filter(({ kind }) => kind !== 'component');

/**
 * Returns the changed types. The result is cached, because the check of a `PUT` and the load after it compare the same two
 * registries.
 */
const findChanged = memoizePair((registry: Registry, previous: Registry): readonly ContentType[] => {
  const isNew = (type: ContentType): boolean => !isDeepStrictEqual(type, previous.types.get(type.uid));
  const differing = new Map([...registry.types.values()].filter(isNew).map((type) => [type, true]));
  if ([...differing.keys()].every(({ kind }) => kind !== 'component')) return [...differing.keys()];
  const differs = (type: ContentType): boolean => {
    const isDifferent = differing.get(type) ?? componentsIn(type, registry).some(differs);
    differing.set(type, isDifferent);
    return isDifferent;
  };
  return servedTypes(registry).filter(differs);
});

const containedIn = memoize((type: ContentType) => [...type.attributes.values()].flatMap(componentsOf));

/** Returns the components that a type contains directly. No component contains itself. */
const componentsIn = (type: ContentType, { types }: Registry): readonly ContentType[] =>
  containedIn(type).flatMap((uid) => types.get(uid) ?? []);
