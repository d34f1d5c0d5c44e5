import { memoizePair } from '#base/caches.js';
import { ApiError } from '#base/errors.js';
import { createContext } from '#content/create-context.js';
import { roleAccess, sampleUser } from '#content/rights/role-access.js';
import type { Role, Roles } from '#content/rights/role.js';
import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { isSynced, syncOption } from '#http/sync-option.js';
import { fullAccess } from '#model/query/access.js';
import { bindRule } from '#model/query/bind-filter.js';
import { collections } from '#model/schema/collections.js';
import type { Registry } from '#model/schema/content-type.js';
import type { Change } from '#store/changes/changes.js';
import { forJob } from '#store/send/database.js';
import type { FieldsOf } from '#store/stores/change-log.js';
import { writeChanges } from '#store/stores/write-changes.js';
import { logFields, type RowRule } from './dependencies.js';
import { guardedListWarnings } from './guarded-list.js';
import { syncRoutes } from './routes.js';
import { settingsOf, syncService } from './service.js';
import { type SyncSession, withoutReplicas } from './session.js';
import { syncSettings } from './settings.js';

/** Copies of entries that clients keep, and hear of their changes. */
export const sync: Feature = {
  name: 'sync',
  settings: syncSettings,
  options: [syncOption],
  routes: syncRoutes,
  codeWarnings: guardedListWarnings,
  start: (running) => Promise.resolve(startSync(running)),
};

/**
 * Writes the change log while there are types that are synced or that other features read in it, and tells waiting clients of changed
 * rights. Returns what ends this.
 */
function startSync(running: RunningService): () => Promise<void> {
  const { models, jobs, store } = running.backend;
  let stop: (() => Promise<void>) | null = null;
  let isOver = !store.database.isReplicated;
  const adapt = (): void => {
    const { registry } = models.snapshot;
    if ((hasSynced(registry) || running.logged(registry).size > 0) && !isOver) stop ??= startWriter(running);
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
    syncService(running).hub.close();
  };
}

const hasSynced = ({ types }: Registry): boolean => [...types.values()].some(isSynced);

/** Milliseconds after which an instance tries to become the writer of the log. */
const leaseInterval = 2_000;

function startWriter(running: RunningService): () => Promise<void> {
  const { jobs, models, store } = running.backend;
  const { retention } = settingsOf(running);
  const name = 'change log';
  const fieldsOf = memoizePair((registry: Registry, roles: Roles): FieldsOf => {
    const fields = logFields(registry, rowRules(roles.byId.values(), running));
    const others = [...running.logged(registry)].filter((name) => !fields.has(name));
    return new Map([...fields, ...others.map((name) => [name, new Set<string>()] as const)]);
  });
  const followed = async () => fieldsOf(models.snapshot.registry, await running.authenticator.roles());
  const warn = (text: string): void => {
    jobs.observer.observe({ kind: 'warned', topic: 'database', text });
  };
  return jobs.start({
    name,
    every: leaseInterval,
    isEager: true,
    lease: true,
    isEndless: true,
    retry: leaseInterval / 4,
    failure: 'the change log could not be written; synced clients hear of nothing until it is',
    run: (signal) => writeChanges(forJob(store.database, name), { followed, retention, signal, warn }),
  });
}

/** Returns the row rules of roles for synced types, with the values of any user. */
function rowRules(roles: Iterable<Role>, { config, source }: RunningService): readonly RowRule[] {
  const { bind } = createContext(config, source, fullAccess);
  const types = [...bind.registry.types.values()].filter(isSynced);
  return [...roles].flatMap((role) => {
    const { rules } = roleAccess(role, sampleUser, bind);
    const context = { ...bind, access: { ...fullAccess, rules } };
    return types
      .filter(({ uid }) => rules.has(uid))
      .flatMap((type) => orNone(() => bindRule(type, context).map((one) => [type, one])));
  });
}

/** Returns nothing for a rule that no longer fits the model: its callers are refused. */
function orNone(bind: () => readonly RowRule[]): readonly RowRule[] {
  try {
    return bind();
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Identifies waiting callers again when something has changed that their rights depend on. */
function recheckCallers(running: RunningService): void {
  const { models, store } = running.backend;
  const recheck = (isAffected: (one: Pick<SyncSession, 'sender'>) => boolean): void => {
    const { hub, rechecks } = syncService(running);
    void hub.recheck(isAffected);
    for (const other of rechecks) other(isAffected);
  };
  const recheckKind = (kind: string) => (change: Change) => {
    const ids = 'ids' in change && change.ids !== null ? change.ids : undefined;
    recheck(({ sender }) => sender.caller?.kind === kind && ids?.includes(sender.caller.id) !== false);
  };
  const recheckAll = (): void => {
    recheck(() => true);
  };
  const { roles, permissions, settings, users, tokens } = collections;
  store.changes.onChange([roles, permissions, settings], recheckAll);
  store.changes.onChange([users], recheckKind('user'));
  store.changes.onChange([tokens], recheckKind('token'));
  models.onChange(recheckAll);
  models.onLocales(recheckAll);
}
