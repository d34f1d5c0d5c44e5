import { expect } from 'chai';
import { changeLog } from '#model/schema/collections.js';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { search } from '#api/search/feature.js';
import { searchStatus } from '#api/search/status.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import type { ServingInput } from '../../support/serve.js';
import { engineKey, type EngineServer, type StoredText } from './engine-server.js';
import { meilisearchServer } from './meilisearch-server.js';
import { typesenseServer } from './typesense-server.js';

export const engineServers = { meilisearch: meilisearchServer, typesense: typesenseServer } as const;

export type EngineName = keyof typeof engineServers;

const localized = { pluginOptions: { i18n: { localized: true } } };

export const searchModels = [
  collectionType(
    'article',
    {
      title: { type: 'string' },
      body: { type: 'richtext' },
      note: { type: 'text', searchable: false },
      secret: { type: 'string', private: true },
      key: { type: 'password' },
      views: { type: 'integer' },
      owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType('page', { heading: { type: 'string', ...localized } }, localized),
  collectionType('number', { count: { type: 'integer' } }),
];

export interface ServingSearch extends ServingAccounts {
  readonly running: RunningService;
  /** Resolves when all indexes are complete, and have all changes. */
  readonly fed: () => Promise<void>;
}

/** Starts the service with an engine. `isFed`: whether it feeds the engine. */
export async function serveSearch(
  name: EngineName,
  engine: EngineServer,
  { isFed = true, ...input }: Partial<ServingInput> & { readonly isFed?: boolean } = {},
): Promise<ServingSearch> {
  let running: RunningService | null = null;
  const watched: Feature = {
    ...search,
    start: (one) => {
      running = one;
      return isFed ? search.start?.(one) : undefined;
    },
  };
  const settings = { engine: name, url: engine.url, key: engineKey, timeout: 20_000 };
  const serving = await serveAccounts({
    models: searchModels,
    features: features.map((one) => (one === search ? watched : one)),
    ...input,
    config: { ...input.config, api: { search: settings, ...input.config?.api } },
  });
  const parts = running as RunningService | null; // set by the start
  if (parts === null) throw new Error('the feature did not start');
  return { ...serving, running: parts, fed: () => fed(parts) };
}

let markers = 0;

/** Resolves when all writes so far are in the change log: one that is made after them is there. */
export async function logged({ backend }: RunningService): Promise<void> {
  const { db } = backend.store.database;
  const pages = db.collection<{ _id: number }>('pages');
  const ids: number[] = []; // the first ones may be older than the log
  await eventually(async () => {
    markers += 1;
    const _id = 1_000_000_000 + markers;
    ids.push(_id);
    await pages.insertOne({ _id });
    await pages.deleteOne({ _id });
    const own = { id: { $in: ids }, kind: 'delete' };
    for (let look = 0; look < 20 && (await db.collection(changeLog).countDocuments(own)) === 0; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await db.collection(changeLog).countDocuments(own)).to.be.at.least(1);
  });
}

async function fed(running: RunningService): Promise<void> {
  const { backend, config } = running;
  await logged(running);
  await eventually(async () => {
    const { registry } = backend.models.snapshot;
    const status = await searchStatus({ config, database: backend.store.database, registry });
    expect(new Set(status?.indexes.map(({ state }) => state))).to.deep.equal(new Set(['ready']));
    expect(status?.behind).to.equal(0);
  });
}

/** Repeats a check until it does not throw, and fails with its last error after half a minute. */
export async function eventually(check: () => unknown): Promise<void> {
  const end = performance.now() + 30_000;
  for (;;)
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** Returns the documents of the only index of a collection, without what the engines call differently. */
export function storedIn({ indexes }: EngineServer, collection: string): readonly object[] {
  const own = [...indexes].filter(([name]) => name.startsWith(`mangrove_${collection}_`));
  expect(own.map(([name]) => name)).to.have.length(1);
  return [...(own[0]?.[1].documents.values() ?? [])].map(plain).sort((a, b) => a.id - b.id);
}

function plain({ id, locale, ...rest }: StoredText) {
  return { id: Number(id), ...(typeof locale === 'string' && { locale }), ...rest };
}
