import { createHash } from 'node:crypto';
import { collections } from '#model/schema/collections.js';
import type { ModelReport } from '#model/schema/report-models.js';
import { isRunning, processSpace } from '#base/processes.js';
import { is } from '../form/matches.js';
import { inReadTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { findStored } from '../stored.js';
import type { BuildProgress } from './trigram-build.js';

/** An index that is being built. The progress is absent if it is not known. */
export interface BuildingIndex {
  readonly name: string;
  /** Entries or keys that are done in the present phase of the build. */
  readonly done?: number;
  readonly total?: number;
}

/** An attribute that stored entries violate. */
export interface Violations {
  /** Path in entries, without positions in lists. */
  readonly attribute: string;
  /** The number of these entries. */
  readonly entries: number;
}

/** The attributes of a type that stored entries violate. */
export interface FoundViolations {
  /** Required attributes that are null, or have no value. */
  readonly requiredNulls: readonly Violations[];
  /** Attributes with values that do not fit their type and are read as null. */
  readonly unfitValues: readonly Violations[];
}

/** The indexes that searches of a type can use. */
interface SearchState {
  /** Attributes with the option `search`. */
  readonly attributes: readonly AttributeState[];
  /** The reason why `_q`, or `_q` with a number, scans all entries; null if it does not. */
  readonly scans: string | null;
}

export type AttributeState = {
  readonly attribute: string;
  readonly search: 'trigram' | 'language';
} & ({ readonly state: 'ready' | 'waiting' } | ({ readonly state: 'building' } & BuildProgress));

/** The state of a model on one instance, as `_model_status` has it. */
export interface ModelState extends Partial<FoundViolations> {
  /** The uid of the model, or `graphql` for the GraphQL schema. */
  readonly uid: string;
  readonly instance: string;
  /** Where the id of its process is unique; see `processSpace`. */
  readonly space?: string;
  /** The version of Mangrove. */
  readonly version?: string;
  readonly state?: ModelReport['state'];
  /** A hash of the model in force; null if none is in force. */
  readonly revision?: string | null;
  /** The reasons why the model is not in force as it is stored. */
  readonly problems?: readonly string[];
  /** Parts of the model that are served differently from its document. */
  readonly warnings?: readonly string[];
  /** Attributes that other models lack because of this one. */
  readonly affects?: readonly string[];
  readonly indexProblems?: readonly string[];
  readonly indexesBuilding?: readonly BuildingIndex[];
  readonly unusedIndexes?: readonly string[];
  /** The renames that the instance follows, each with its phase. */
  readonly renames?: readonly string[];
  /** The indexes that searches can use; absent or null if no attribute of the model has the option `search`. */
  readonly search?: SearchState | null;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Milliseconds after the last heartbeat of an instance until its states are deleted. */
export const stateLifetime = 900_000;

/** Returns a short hash of a value that can be written as JSON. */
export const revisionOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);

/** The states of instances that are alive. */
const alive = () => ({ expiresAt: is.above(new Date()) });

/** Returns the states of models by uid on the instances that are alive, up to a limit, in the order of uids and instances. */
async function readStates(database: Database, uids: readonly string[], limit: number): Promise<readonly ModelState[]> {
  const match = { uid: is.oneOf(uids), ...alive() };
  const states = await findStored(database, collections.modelStatus, { match, limit });
  return states as unknown as readonly ModelState[]; // ModelStatus has written them
}

/** An instance of the service that is alive. */
export interface Instance {
  /** Host, process and a random part, separated by colons. */
  readonly name: string;
  /** The version of Mangrove; null if the instance does not tell it. */
  readonly version: string | null;
  readonly heartbeat: Date;
  /** A hash of all models in force; two instances with the same one serve the same models. */
  readonly revision: string;
  /** Number of models in force. */
  readonly models: number;
  /** Number of models that are not in force as they are stored. */
  readonly refused: number;
}

/** Returns the instances that are alive by name, up to a limit. */
async function readInstances(database: Database, limit: number): Promise<readonly Instance[]> {
  const refused = { $cond: [{ $eq: ['$state', 'refused'] }, 1, 0] };
  const documents = await readAll(database, {
    aggregate: collections.modelStatus,
    pipeline: [
      { $match: alive() },
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: '$instance',
          version: { $max: '$version' },
          until: { $max: '$expiresAt' },
          revisions: { $push: { $cond: ['$revision', ['$uid', '$revision'], null] } },
          refused: { $sum: refused },
        },
      },
      { $sort: { _id: 1 } },
      { $limit: limit },
    ],
  });
  return documents.map(({ _id, version, until, revisions, refused: count }) => {
    const inForce = (revisions as readonly unknown[]).filter((one) => one !== null); // pushed above
    return {
      name: String(_id),
      version: typeof version === 'string' ? version : null,
      heartbeat: new Date(Number(until) - stateLifetime),
      revision: revisionOf(inForce),
      models: inForce.length,
      refused: Number(count),
    };
  });
}

/**
 * Returns the names of the instances that run: those whose states have not expired, except for those whose process could be seen by
 * this one and has ended without telling.
 */
export async function runningInstances(database: Database): Promise<readonly string[]> {
  const states = database.db.collection(collections.modelStatus);
  const current = { expiresAt: { $gt: new Date() } };
  const [all, local] = await Promise.all(
    [current, { ...current, space: processSpace }].map((match) =>
      inReadTime(database, () => states.distinct('instance', match)),
    ) as [Promise<string[]>, Promise<string[]>], // one for each match
  );
  return all.filter((name) => !local.includes(name) || isRunning(Number(name.split(':')[1])));
}

/** What instances report of themselves and of models. */
export const modelStates = {
  read: readStates,
  readInstances,
};
