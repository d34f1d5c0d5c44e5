import { waited } from '../../limits/timers.js';
import type { ContentType } from '../../schema/content-type.js';
import { forJob } from '../send/database.js';
import { ensureCollections, storedCollections } from '../send/ensure-collections.js';
import { completeDocuments, type Completion } from './complete-documents.js';
import type { IndexBuilds } from './index-builds.js';
import type { ModelWork } from './model-status.js';
import type { SearchBuilds } from './search-builds.js';
import { shardNewTypes } from './shard-types.js';

/** Milliseconds that a new type waits for its unique indexes before it is served. After that only writes to it wait for them. */
const indexPatience = 250;

/**
 * Milliseconds after a change of a model when its entries are completed again, because requests under way and instances with the
 * former snapshot still write entries in the former form.
 */
const completionDelays = [250, 1000, 5000];

interface Preparing extends Pick<ModelWork, 'database' | 'jobs'> {
  readonly indexes: IndexBuilds;
  readonly searches: SearchBuilds;
}

interface Prepared {
  /** The collections of the types that existed before. */
  readonly stored: ReadonlySet<string>;
  /** Resolves when all indexes are built. */
  readonly indexed: Promise<void>;
}

/**
 * Brings stored entries and indexes in line with new and changed types: completes entries and begins to build indexes. Resolves when
 * the types can be served.
 */
export async function prepareTypes(
  types: readonly ContentType[],
  completion: Completion,
  { database, jobs, indexes, searches }: Preparing,
): Promise<Prepared> {
  const { registry } = completion;
  searches.suspend(types);
  const names = types.map(({ collection }) => collection);
  const stored = await storedCollections(names, database);
  await ensureCollections(
    names.filter((name) => !stored.has(name)),
    database,
  );
  for (const text of await shardNewTypes(types, registry, database))
    jobs.observer.observe({ kind: 'warned', topic: 'database', text });
  const older = types.filter(({ collection }) => stored.has(collection));
  await completeDocuments(older, completion, database);
  const { unique, all } = indexes.begin(types, registry, stored);
  const patience = new AbortController();
  await Promise.race([unique, waited(indexPatience, patience.signal)]);
  patience.abort();
  return { stored, indexed: all };
}

/** Completes entries again that are written in the former form after the types are served. */
export function completeLater(
  types: readonly ContentType[],
  completion: Completion,
  { database, jobs }: Pick<ModelWork, 'database' | 'jobs'>,
): void {
  if (types.length === 0) return;
  const times = completionDelays.map((milliseconds) => new Date(Date.now() + milliseconds));
  const name = 'entry completion';
  jobs.start({
    name,
    at: () => times.shift() ?? null,
    failure: 'entries written during a model change could not be completed',
    run: () => completeDocuments(types, completion, forJob(database, name)),
  });
}
