import type { Roles } from '#content/rights/role.js';
import { memoizePair } from '#base/caches.js';
import type { Running } from '#http/running.js';
import { writeChanges } from '#store/stores/write-changes.js';
import { forJob } from '#store/send/database.js';
import { collections } from '#model/schema/collections.js';
import type { Change } from '#store/changes/changes.js';
import type { Registry } from '#model/schema/content-type.js';
import { followedFields } from './followed.js';
import { boundRules } from './row-rules.js';
import { settingsOf, syncOf } from './sync-service.js';
import { type SyncSession, withoutReplicas } from './sync-session.js';

/** Milliseconds after which an instance tries to become the writer of the log. */
const takeOver = 2_000;

/** Writes the change log while there are types that are synced, and tells waiting clients of changed rights. Returns what ends this. */
export function startSync(running: Running): () => Promise<void> {
  const { models, jobs, store } = running.backend;
  let stop: (() => Promise<void>) | null = null;
  let isOver = !store.database.isReplicated;
  const adapt = (): void => {
    if (hasSynced(models.snapshot.registry) && !isOver) stop ??= startWriter(running);
    else if (stop !== null) {
      void stop();
      stop = null;
    }
  };
  if (isOver && hasSynced(models.snapshot.registry))
    jobs.observer.observe({ kind: 'warned', topic: 'database', text: withoutReplicas });
  adapt();
  models.onChange(adapt);
  recheckCallers(running);
  return async () => {
    isOver = true;
    await stop?.();
    syncOf(running).hub.close();
  };
}

const hasSynced = ({ types }: Registry): boolean => [...types.values()].some(({ synced }) => synced);

function startWriter(running: Running): () => Promise<void> {
  const { jobs, models, store } = running.backend;
  const { retention } = settingsOf(running);
  const name = 'change log';
  const followedOf = memoizePair((registry: Registry, { byId }: Roles) =>
    followedFields(registry, boundRules(byId.values(), running)),
  );
  const followed = async () => followedOf(models.snapshot.registry, await running.authenticator.roles());
  const warn = (text: string): void => {
    jobs.observer.observe({ kind: 'warned', topic: 'database', text });
  };
  return jobs.start({
    name,
    every: takeOver,
    isEager: true,
    lease: true,
    isEndless: true,
    retry: takeOver / 4,
    failure: 'the change log could not be written; synced clients hear of nothing until it is',
    run: (signal) => writeChanges(forJob(store.database, name), { followed, retention, signal, warn }),
  });
}

/** Identifies waiting callers again when something has changed that their rights depend on. */
function recheckCallers(running: Running): void {
  const { models, store } = running.backend;
  const recheck = (isMeant: (session: SyncSession) => boolean): void => void syncOf(running).hub.recheck(isMeant);
  const ofKind = (kind: string) => (change: Change) => {
    const ids = 'ids' in change && change.ids !== null ? change.ids : undefined;
    recheck(({ sender }) => sender.caller?.kind === kind && ids?.includes(sender.caller.id) !== false);
  };
  const recheckAll = (): void => {
    recheck(() => true);
  };
  const { roles, permissions, settings, users, tokens } = collections;
  store.changes.onChange([roles, permissions, settings], recheckAll);
  store.changes.onChange([users], ofKind('user'));
  store.changes.onChange([tokens], ofKind('token'));
  models.onChange(recheckAll);
  models.onLocales(recheckAll);
}
