import type { Config } from '#settings/config.js';
import type { Registry } from '#model/schema/content-type.js';
import type { Database } from '#store/send/database.js';
import { syncLog } from '#store/stores/change-log.js';
import { readIndexes, wantIndexes } from './index-rows.js';
import { searchedTypes } from './searched-types.js';
import { searchSettingsOf } from './settings.js';

/** The state of the index of a type. */
interface IndexStatus {
  readonly uid: string;
  /** `ready`: searched; `rebuilding`: searched, while a new one is filled; `building`: MongoDB searches meanwhile; `waiting`: not begun. */
  readonly state: 'ready' | 'rebuilding' | 'building' | 'waiting';
  /** The last id that was sent to the index that is being filled; null if none is. */
  readonly after: number | null;
}

interface SearchStatus {
  readonly engine: string;
  readonly indexes: readonly IndexStatus[];
  /** The number of logged changes that are not sent yet; null if none were ever sent. */
  readonly behind: number | null;
}

interface Parts {
  readonly config: Pick<Config, 'api'>;
  readonly database: Database;
  readonly registry: Registry;
}

/** Returns the state of all indexes; null if MongoDB searches. */
export async function searchStatus({ config, database, registry }: Parts): Promise<SearchStatus | null> {
  const settings = searchSettingsOf(config);
  if (settings === null) return null;
  const [log, { feed, indexes }] = [await syncLog.readState(database), await readIndexes(database)];
  const states = [...searchedTypes(registry, settings).values()].map(({ type: { uid, collection }, form }): IndexStatus => {
    const { index = null, building = null, isWanted = false } = indexes.get(collection) ?? {};
    const isReady = index?.form === form;
    const isBuilt = building !== null || isWanted;
    const state = isReady ? (isBuilt ? 'rebuilding' : 'ready') : building === null ? 'waiting' : 'building';
    return { uid, state, after: building?.after ?? null };
  });
  const behind = feed === null || log === null || feed.epoch !== log.epoch ? null : log.seq - feed.seq;
  return { engine: settings.engine, indexes: states, behind };
}

/**
 * Asks the service to build new indexes of types by their uids, or of all. The present ones are searched meanwhile. Indexes that were not
 * begun yet are built anyway. Throws for a type that is not searched.
 */
export async function rebuildIndexes({ config, database, registry }: Parts, uids: readonly string[]): Promise<void> {
  const settings = searchSettingsOf(config);
  if (settings === null) throw new Error('api.search.engine is mongodb, which needs no indexes of its own');
  const searched = [...searchedTypes(registry, settings).values()].map(({ type }) => type);
  const unknown = uids.find((uid) => !searched.some((type) => type.uid === uid));
  if (unknown !== undefined) throw new Error(`${unknown} is not searched by ${settings.engine}`);
  const namedTypes = searched.filter(({ uid }) => uids.length === 0 || uids.includes(uid));
  await wantIndexes(
    database,
    namedTypes.map(({ collection }) => collection),
  );
}
