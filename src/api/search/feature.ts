import { advice, problem } from '#base/finding.js';
import { messageOf } from '#base/errors.js';
import { withinTime } from '#base/limits/clock.js';
import type { Feature, FeatureCheck } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { searchDeclaration } from './declaration.js';
import { EngineFinder } from './engine-finder.js';
import { Feeder, feedJob } from './feed.js';
import { openEngine } from './open-engine.js';
import { searchedTypes } from './searched-types.js';
import { type SearchSettings, searchSettingsOf } from './settings.js';
import { searchStatus } from './status.js';

/** Milliseconds after which an instance tries to become the one that feeds the engine, and after a failure. */
const leaseInterval = 2_000;
const retry = 5_000;

/** Milliseconds that the engine may take to say its version. */
const longestCheck = 5_000;

const withoutReplicas =
  'api.search needs a replica set for Meilisearch and Typesense: a standalone MongoDB reports no changes, so that MongoDB searches';

const engineCheck: FeatureCheck = {
  name: 'search',
  fine: 'the search engine answers, and has all indexes',
  check: async ({ config, database, registry }) => {
    const settings = searchSettingsOf(config);
    const status = await searchStatus({ config, database, registry });
    if (settings === null || status === null) return null;
    const ends = new AbortController();
    const version = withinTime(longestCheck, () => openEngine(settings, database).version(ends.signal));
    const failure = await version
      .then(() => null, messageOf)
      .finally(() => {
        ends.abort();
      });
    if (failure !== null)
      return problem(
        `${settings.engine} does not answer: ${failure}`,
        'correct SEARCH_URL and SEARCH_KEY; MongoDB searches until then',
      );
    const unready = status.indexes.filter(({ state }) => state === 'building' || state === 'waiting');
    if (unready.length === 0) return null;
    const uids = unready.map(({ uid }) => uid).join(', ');
    return advice(
      `${settings.engine} has no complete index of ${uids}`,
      'start the service, and wait until npx mangrove search status says ready',
    );
  },
};

/** Lets a search engine find entries by their texts. Off unless the settings name one. */
export const search: Feature = {
  name: 'search',
  ...searchDeclaration,
  isEnabled: (config) => searchSettingsOf(config) !== null,
  problems: (config) => problemsOf(searchSettingsOf(config)),
  checks: [engineCheck],
  logged: (registry, config) => {
    const settings = searchSettingsOf(config);
    return settings === null || settings.engine === 'atlas'
      ? []
      : [...searchedTypes(registry, settings).values()].map(({ type }) => type);
  },
  finder: ({ config, backend, observer }) => {
    const settings = searchSettingsOf(config);
    if (settings === null) throw new Error('no search engine is set'); // `isEnabled`
    return new EngineFinder({ backend, settings, observer, engine: openEngine(settings, backend.store.database) });
  },
  start: (running) => {
    startFeed(running);
    return undefined;
  },
};

const problemsOf = (settings: SearchSettings | null): readonly string[] =>
  settings === null || settings.engine === 'atlas' || settings.url !== null
    ? []
    : [`api.search.engine is ${settings.engine}, and api.search.url is missing: set SEARCH_URL`];

function startFeed(running: RunningService): void {
  const { jobs, store } = running.backend;
  const settings = searchSettingsOf(running.config);
  if (settings === null) return;
  const engine = openEngine(settings, store.database);
  if (engine.isFed && !store.database.isReplicated) {
    jobs.observer.observe({ kind: 'warned', topic: 'database', text: withoutReplicas });
    return;
  }
  const feeder = new Feeder(running, engine, settings);
  jobs.start({
    name: feedJob,
    every: leaseInterval,
    isEager: true,
    lease: true,
    isEndless: true,
    retry,
    failure: 'the search engine could not be sent what has changed; it is tried again',
    run: (signal) => feeder.run(signal),
  });
}
