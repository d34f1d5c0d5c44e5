import { isDeepStrictEqual } from 'node:util';
import { notFoundError } from '#base/errors.js';
import { planIndexes } from '../read/plan-indexes.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry, changedTypes, notInForce, type RegistryBuild } from '#model/schema/build-registry.js';
import { type ContentType, type Registry, uidsOf } from '#model/schema/content-type.js';
import { hasDraftsBeside, keepsDrafts } from '#model/schema/drafts-beside.js';
import { collectionOf, type Model, type ModelDocument } from '#model/schema/model.js';
import { movedAway, withoutRenamed } from '#model/schema/renames.js';
import { warningText } from '#model/schema/report-models.js';
import { hasDraft } from '../form/draft.js';
import type { Database } from '../send/database.js';
import { countDocuments } from '../send/read-commands.js';
import { findUnfitValues, type UnfitData } from './find-unfit.js';
import type { ExpectedModels } from './model-registry.js';
import type { Backend } from './open-backend.js';
import { readRenames, servedDocuments } from '../stores/rename-store.js';
import { servedCollections } from './served-collections.js';

/** The effects of a change to models. */
export interface ModelPreview {
  readonly isValid: boolean;
  /** Problems by uid, also of other models that the change would break. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
  /** Parts of models that would be served differently than written, by uid: all of the changed models, and new ones of others. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
  readonly changes: readonly ModelChange[];
  readonly indexes: readonly IndexChange[];
  /** Stored entries that would violate the models. They are still served, because only writes are checked. */
  readonly data: readonly UnfitData[];
}

interface ModelChange {
  readonly uid: string;
  readonly change: 'added' | 'changed' | 'removed' | 'none';
  /** Names of attributes. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

interface IndexChange {
  readonly collection: string;
  readonly built: readonly string[];
  readonly dropped: readonly string[];
}

/** The effects of a change, and the build that will be in force after it is stored. */
interface PreviewedChange {
  readonly preview: ModelPreview;
  readonly expected: ExpectedModels;
}

/** Returns the effects of storing these models together, and of removing others. */
async function previewChange(
  models: readonly ModelDocument[],
  backend: Backend,
  removed: readonly string[] = [],
): Promise<PreviewedChange> {
  const stored = await backend.models.readStored();
  const uids = [...models.map(({ uid }) => uid), ...removed];
  const others = stored.filter(({ uid }) => !uids.includes(uid));
  const changed = [...others, ...models].sort((a, b) => Number(a.uid > b.uid) - Number(a.uid < b.uid));
  const records = await readRenames(backend.store.database);
  const served = (documents: readonly ModelDocument[]) => servedDocuments(withoutRenamed(documents), records);
  const inForce = backend.models.inForce();
  const open = [...notInForce(stored, inForce), ...models];
  const foreign = await servedCollections.findForeign(open, backend.store.database, inForce.registry);
  const settings = { ...backend.settings, foreign };
  const before = buildStored(served(stored), settings, inForce);
  const after = buildRegistry(served(changed), settings, before);
  const moving = movedAway(
    models,
    records.filter(({ phase }) => phase !== 'done'),
  );
  const drafts = await draftProblems(stored, after, backend.store.database);
  const refused = { ...after, problems: new Map([...after.problems, ...moving, ...drafts]) };
  return { preview: await compare(uids, { before, after: refused }, backend), expected: { stored: changed, before, after } };
}

/**
 * Returns the problem of each type of stored models that would no longer have drafts beside published entries, although some are
 * stored, by its uid in the registry of the changed models.
 */
async function draftProblems(
  stored: readonly ModelDocument[],
  { registry }: Pick<RegistryBuild, 'registry'>,
  database: Database,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const left = new Map<string, readonly string[]>();
  for (const model of stored as readonly unknown[] as readonly Model[]) {
    // those that were in force have this form
    if (!hasDraftsBeside(model)) continue;
    const now = registry.types.get(model.uid) ?? [...registry.types.values()].find((type) => uidsOf(type).includes(model.uid));
    if (now === undefined || keepsDrafts(now)) continue;
    const count = await countDocuments(collectionOf(model), database, { query: hasDraft });
    const drafts = count === 1 ? '1 draft is' : `${String(count)} drafts are`;
    if (count > 0)
      left.set(now.uid, [`options.drafts cannot be switched off while ${drafts} stored: publish or discard them before`]);
  }
  return left;
}

/** Returns the effects of removing a model. Throws a NotFoundError if it is not stored. */
async function previewRemoval(uid: string, backend: Backend): Promise<ModelPreview> {
  const stored = await backend.models.readStored();
  if (stored.every((model) => model.uid !== uid)) throw notFoundError('Model not found');
  return (await previewChange([], backend, [uid])).preview;
}

/** Builds the registry of the stored models. Returns the one in force if it has no problems and nothing was stored since. */
function buildStored(stored: readonly ModelDocument[], settings: ModelSettings, inForce: RegistryBuild): RegistryBuild {
  const isWhole = inForce.problems.size === 0 && stored.length === inForce.readings.size;
  return isWhole && notInForce(stored, inForce).length === 0 ? inForce : buildRegistry(stored, settings, inForce);
}

type Builds = Pick<ExpectedModels, 'before' | 'after'>;

async function compare(uids: readonly string[], { before, after }: Builds, { store }: Backend): Promise<ModelPreview> {
  const problems = [...after.problems].filter(([uid]) => uids.includes(uid) || !before.problems.has(uid));
  const isValid = problems.length === 0;
  const types = changedTypes(after.registry, before.registry);
  const unfit = isValid
    ? await Promise.all(
        types.map((type) => findUnfitValues(type, { before: before.registry, after: after.registry }, store.database)),
      )
    : [];
  return {
    isValid,
    problems: Object.fromEntries(problems),
    warnings: newWarnings(uids, before, after),
    changes: uids.map((uid) => changeOf(uid, before.models.get(uid), after.models.get(uid))),
    indexes: isValid ? types.flatMap((type) => indexChange(type, before.registry, after.registry)) : [],
    data: unfit.flat(),
  };
}

function newWarnings(uids: readonly string[], before: RegistryBuild, after: RegistryBuild): ModelPreview['warnings'] {
  const texts = ({ warnings }: RegistryBuild, uid: string): string[] => (warnings.get(uid) ?? []).map(warningText);
  const shown = [...after.warnings.keys()].flatMap((uid) => {
    const formerTexts = uids.includes(uid) ? [] : texts(before, uid);
    const newTexts = texts(after, uid).filter((text) => !formerTexts.includes(text));
    return newTexts.length === 0 ? [] : [[uid, newTexts] as const];
  });
  return Object.fromEntries(shown);
}

/** Returns the changed attributes of a model. One that is renamed is added, and not removed. */
function changeOf(uid: string, before: Model | undefined, after: Model | undefined): ModelChange {
  const [old, now] = [before?.attributes ?? {}, after?.attributes ?? {}];
  const added = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  const renamed = new Set(Object.values(now).map(({ renamedFrom }) => renamedFrom));
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(now, name) && !renamed.has(name));
  const changed = Object.keys(now).filter((name) => Object.hasOwn(old, name) && !isDeepStrictEqual(old[name], now[name]));
  return { uid, change: kindOfChange(before, after), added, changed, removed };
}

function kindOfChange(before: Model | undefined, after: Model | undefined): ModelChange['change'] {
  if (before === undefined) return after === undefined ? 'none' : 'added';
  if (after === undefined) return 'removed';
  return isDeepStrictEqual(before, after) ? 'none' : 'changed';
}

function indexChange(type: ContentType, before: Registry, after: Registry): IndexChange[] {
  const former = before.types.get(type.uid);
  const old = new Set(former === undefined ? [] : planIndexes(former, before).map(({ name }) => name));
  const now = new Set(planIndexes(type, after).map(({ name }) => name));
  const built = [...now].filter((name) => !old.has(name));
  const dropped = [...old].filter((name) => !now.has(name));
  return built.length + dropped.length === 0 ? [] : [{ collection: type.collection, built, dropped }];
}

/** What a change of models would do. */
export const modelPreviews = {
  ofChange: previewChange,
  ofRemoval: previewRemoval,
  between: changeOf,
  draftsLeft: draftProblems,
};
