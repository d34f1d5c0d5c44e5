import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { setNextId } from '../../scripts/insert-entries.js';
import { restoreSnapshot, takeSnapshot, type Snapshot } from '../../scripts/prove/conformance/snapshot.js';
import { loadConfig } from '#settings/load-config.js';
import { readProject } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';
import { callsOf } from './differential/calls.js';
import { findDifferences, type Difference } from './differential/find-differences.js';
import { knownDifferences, type KnownDifference } from './differential/known-differences.js';
import { sendCall, type Answers } from './differential/send-call.js';

const here = join(import.meta.dirname, 'differential');

interface Recorded {
  readonly probes: readonly string[];
  readonly answers: Answers;
}

const recorded = JSON.parse(readFileSync(join(here, 'strapi-4.26.json'), 'utf8')) as Recorded; // scripts/prove/differential wrote it

const locales = ['en', 'fr'].map((code, index) => ({
  _id: index + 1,
  code,
  name: code === 'en' ? 'English (en)' : 'French (fr)',
}));

/** Serves a copy of the project with its configuration. */
async function serveProbes(directory: string): Promise<Serving> {
  await cp(join(here, 'project'), directory, { recursive: true });
  const { api, plugins, middlewares } = await loadConfig({ directory, variables: {} });
  const logger = { level: 'silent', pretty: false } as const;
  return serveModels({
    models: readProject(pathToFileURL(join(here, 'project/src/'))),
    project: directory,
    config: { api: { ...api, open: false }, plugins, middlewares: { ...middlewares, logger } },
    documents: { i18n_locales: locales },
  });
}

/** Ids that follow those of the seeded content, as Strapi assigns them: the service reserves several at once. */
const nextIds = { authors: 3, articles: 4, tags: 4, events: 4, pages: 3, up_users: 2, files: 2, settings: 2 };

const met = new Set<KnownDifference>();

/** Returns whether a difference is in the tables. */
function isListed(call: string, { place }: Difference): boolean {
  const row = knownDifferences.find(({ calls, places }) => (calls?.includes(call) ?? true) && places.test(place));
  if (row !== undefined) met.add(row);
  return row !== undefined;
}

describe('code of a project answers as in Strapi 4.26', () => {
  let directory: string;
  let serving: Serving;
  let start: Snapshot;
  const ask = (path: string) => sendCall(serving.server.url, { method: 'GET', path });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-probes-'));
    serving = await serveProbes(directory);
    expect(await ask('/api/probes/seed/run')).to.deep.include({ status: 200, body: { value: 'seeded' } });
    const { db } = serving.database;
    for (const [collection, next] of Object.entries(nextIds)) await setNextId(db, collection, next);
    serving.server.forget();
    start = await takeSnapshot(db);
  });
  afterEach(async () => {
    const changed = await restoreSnapshot(serving.database.db, start);
    if (changed.length > 0) serving.server.forget();
  });
  after(async () => {
    await serving.stop();
    await rm(directory, { recursive: true });
  });

  it('has the recorded probes', async () => {
    expect((await ask('/api/probes/list/all')).body).to.deep.equal({ value: recorded.probes });
  });

  for (const call of callsOf(recorded.probes))
    it(call.name, async () => {
      const answer = await sendCall(serving.server.url, call);
      const found = findDifferences(recorded.answers[call.name], answer);
      expect(found.filter((difference) => !isListed(call.name, difference))).to.deep.equal([]);
    });

  it('has all listed differences', () => {
    const gone = knownDifferences.filter((row) => !met.has(row));
    expect(gone.map(({ reason, calls }) => `remove the row: ${reason} (${calls?.join(', ') ?? 'all'})`)).to.deep.equal([]);
  });
});
