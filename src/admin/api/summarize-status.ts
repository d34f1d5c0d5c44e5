import type { ModelState } from '#store/models/model-states.js';
import { groupBy } from '#base/values.js';

/** What an administrator looks at first. */
interface StatusSummary {
  /**
   * Whether nothing needs attention: all instances have one version and serve the models as they are stored, no index has a problem,
   * and there are neither unfit entries nor costly reads.
   */
  readonly isRight: boolean;
  /** Number of instances that run. */
  readonly instances: number;
  /** The versions of Mangrove that they have. */
  readonly versions: readonly string[];
  /** Whether they serve the same models. */
  readonly serveTheSame: boolean;
  /** The uids of the models that some instance does not serve as they are stored. */
  readonly refusedModels: readonly string[];
  /** Number of indexes that are being built. */
  readonly indexesBuilding: number;
  /** Number of models whose stored entries break a rule. */
  readonly modelsWithUnfitEntries: number;
  /** Number of reads that took long, or that no index serves. */
  readonly costlyReads: number;
}

/** Returns the summary of the states of models on all instances. */
export function summarizeStatus(states: readonly ModelState[], costlyReads: number): StatusSummary {
  const alive = states.filter(({ expiresAt }) => expiresAt > new Date());
  const byInstance = [...groupBy(alive, ({ instance }) => instance).values()];
  const served = byInstance.map((own) =>
    own
      .flatMap(({ uid, revision }) => (revision ? [`${uid} ${revision}`] : []))
      .sort()
      .join(),
  );
  const refusedModels = distinct(alive.flatMap(({ state, uid }) => (state === 'refused' ? [uid] : [])));
  const serveTheSame = new Set(served).size <= 1;
  const versions = distinct(alive.flatMap(({ version }) => version ?? []));
  const modelsWithUnfitEntries = distinct(alive.flatMap((state) => (hasUnfit(state) ? [state.uid] : []))).length;
  const hasProblems = alive.some(({ indexProblems = [] }) => indexProblems.length > 0);
  const isServed = serveTheSame && versions.length <= 1 && refusedModels.length === 0 && !hasProblems;
  return {
    isRight: isServed && modelsWithUnfitEntries === 0 && costlyReads === 0,
    instances: byInstance.length,
    versions,
    serveTheSame,
    refusedModels,
    indexesBuilding: distinct(
      alive.flatMap(({ uid, indexesBuilding = [] }) => indexesBuilding.map(({ name }) => `${uid} ${name}`)),
    ).length,
    modelsWithUnfitEntries,
    costlyReads,
  };
}

const hasUnfit = ({ requiredNulls = [], unfitValues = [] }: ModelState): boolean => requiredNulls.length + unfitValues.length > 0;

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();
