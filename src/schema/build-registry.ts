import { isDeepStrictEqual } from 'node:util';
import { buildContentType, defaultModelSettings, type ModelSettings } from './build-content-type.js';
import { builtinModels } from './builtin-models.js';
import { crossProblems, modelProblems } from './check-models.js';
import type { ContentType, Registry } from './content-type.js';
import { targetsOf, type Model } from './model.js';

/** A registry with the models that it was built from, and what kept others out, by uid. */
export interface RegistryBuild {
  readonly registry: Registry;
  readonly models: ReadonlyMap<string, Model>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

/** A build with the same settings. */
interface Previous {
  readonly registry: Registry;
  readonly models: ReadonlyMap<string, Model>;
}

/**
 * Builds a snapshot from all documents of `_models`. A document that fails its check is left out, or keeps the form that
 * it had in the previous snapshot; the others go in. Models that stay as they were, and their types, are the same objects in
 * both snapshots: a change costs what has changed.
 */
export function buildRegistry(
  documents: readonly { readonly uid: string }[],
  settings: ModelSettings = defaultModelSettings,
  previous?: Previous,
): RegistryBuild {
  const problems = new Map<string, readonly string[]>();
  const candidates = new Map<string, Model>(builtinModels.map((model) => [model.uid, model]));
  for (const document of documents) {
    const before = previous?.models.get(document.uid);
    const found = isDeepStrictEqual(document, before) ? [] : modelProblems(document);
    if (found.length > 0) problems.set(document.uid, found);
    const model = found.length > 0 ? before : extendBuiltin(document as Model); // its form is checked
    if (model !== undefined) candidates.set(model.uid, isDeepStrictEqual(model, before) ? (before ?? model) : model);
  }
  const models = settle(candidates, problems, previous);
  const types = [...models.values()].map((model) => typeOf(model, settings, previous));
  return { registry: indexTypes(types, (previous?.registry.version ?? 0) + 1), models, problems };
}

function typeOf(model: Model, settings: ModelSettings, previous: Previous | undefined): ContentType {
  const known = previous?.models.get(model.uid) === model ? previous.registry.types.get(model.uid) : undefined;
  return known ?? buildContentType(model, settings);
}

const builtins = new Map(builtinModels.map((model) => [model.uid, model]));

/** A document with a built-in uid adds attributes; what the service itself relies on stays as it is. */
function extendBuiltin(model: Model): Model {
  const builtin = builtins.get(model.uid);
  return builtin === undefined
    ? model
    : { ...builtin, attributes: { ...builtin.attributes, ...model.attributes, ...builtin.attributes } };
}

/**
 * Takes models back to their previous form, or out where they have none, until those that are left agree with each other. At
 * fault is who changed: a model that stayed as it was and no longer fits brings those back that it refers to.
 */
function settle(
  candidates: Map<string, Model>,
  problems: Map<string, readonly string[]>,
  previous: Previous | undefined,
): ReadonlyMap<string, Model> {
  for (let round = 0; round <= candidates.size + 1; round++) {
    const found = crossProblems(unchangedFirst(candidates, previous));
    if (found.size === 0) break;
    for (const [uid, lines] of culprits(found, candidates, previous)) {
      if (!problems.has(uid)) problems.set(uid, lines);
      const fallback = builtins.get(uid) ?? previous?.models.get(uid);
      if (fallback !== undefined && fallback !== candidates.get(uid)) candidates.set(uid, fallback);
      else candidates.delete(uid);
    }
  }
  return candidates;
}

/** Who has to go back, and why. */
function culprits(
  found: ReadonlyMap<string, readonly string[]>,
  candidates: ReadonlyMap<string, Model>,
  previous: Previous | undefined,
): ReadonlyMap<string, readonly string[]> {
  const blamed = new Map<string, readonly string[]>();
  for (const [uid, lines] of found) {
    const others = isUnchanged(uid, candidates, previous) ? changedTargets(uid, candidates, previous) : [];
    if (others.length === 0) blamed.set(uid, lines);
    for (const other of others)
      if (!found.has(other)) blamed.set(other, [`${uid} still needs it as it was: ${lines.join('; ')}`]);
  }
  return blamed;
}

const isUnchanged = (uid: string, candidates: ReadonlyMap<string, Model>, previous: Previous | undefined): boolean =>
  candidates.has(uid) && candidates.get(uid) === previous?.models.get(uid);

/** Of two models that claim one name the later is at fault, which must not be the one that was there. */
function unchangedFirst(candidates: ReadonlyMap<string, Model>, previous: Previous | undefined): ReadonlyMap<string, Model> {
  const changed = [...candidates].filter(([uid]) => !isUnchanged(uid, candidates, previous));
  return new Map([...[...candidates].filter(([uid]) => isUnchanged(uid, candidates, previous)), ...changed]);
}

/** The models that a model refers to and that were changed or removed. */
function changedTargets(uid: string, candidates: ReadonlyMap<string, Model>, previous: Previous | undefined): string[] {
  const attributes = Object.values(candidates.get(uid)?.attributes ?? {});
  const targets = new Set(
    attributes.flatMap((attribute) => [...targetsOf(attribute), attribute.component, ...(attribute.components ?? [])]),
  );
  return [...targets].filter(
    (target): target is string =>
      target !== undefined && previous?.models.has(target) === true && !isUnchanged(target, candidates, previous),
  );
}

function indexTypes(types: readonly ContentType[], version: number): Registry {
  const routed = types.filter((type) => type.uid.startsWith('api::'));
  return {
    version,
    types: new Map(types.map((type) => [type.uid, type])),
    byPluralName: new Map(routed.filter((type) => type.kind === 'collectionType').map((type) => [type.pluralName, type])),
    bySingularName: new Map(routed.filter((type) => type.kind === 'singleType').map((type) => [type.singularName, type])),
  };
}
