import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import { levelOf, topLevel } from '../../rooms/rooms.js';
import { startDatabase } from '../../../start-database.js';
import type { Project } from '../project.js';
import { buildTraced } from './build-traced.js';
import { startCoverage, type CalledFunctions, type Coverage } from './coverage.js';
import { models, preparation, walks, type WalkName, type WalkRequest } from './requests.js';
import { installTracer } from './trace.js';

/** The files and jumps of a request, after an identical one has warmed everything up. */
export interface Walk {
  /** Paths from src of the files whose functions are called. */
  readonly files: readonly string[];
  /** How often a function is called that stands on a lower level than the one called before it, and on a higher one. */
  readonly down: number;
  readonly up: number;
  /** Functions of the composition root that are called, as `file: name`. */
  readonly intoRoot: readonly string[];
}

/** Sends each request twice to a traced build of the project, over a database of its own, and measures the second one. */
export async function measureWalks(project: Project): Promise<ReadonlyMap<WalkName, Walk>> {
  const trace = installTracer();
  const folder = buildTraced(project);
  const mongo = await startDatabase('ephemeral');
  const coverage = await startCoverage();
  const server = await serve(join(folder, 'index.js'), mongo.uri);
  try {
    const names = project.sources.map(({ name }) => name);
    const measured = new Map<WalkName, Walk>();
    for (const name of Object.keys(walks) as WalkName[]) {
      // the keys of a literal
      let turn = 0;
      const work = (): Promise<void> => send(server.url, walks[name](turn++));
      await work();
      const functions = await quietest(
        () => functionsOf(coverage, work, folder),
        ({ size }) => size,
      );
      const called = await quietest(
        () => trace(work),
        ({ length }) => length,
      );
      const files = [...functions.keys()].sort();
      const intoRoot = files.filter(isRoot).flatMap((file) => functions.get(file)?.map((name) => `${file}: ${name}`) ?? []);
      measured.set(name, { files, intoRoot, ...countJumps(called.map((index) => names[index] ?? '')) });
    }
    return measured;
  } finally {
    await server.stop();
    await coverage.stop();
    await mongo.stop();
  }
}

/** The one of several measurements with the fewest: work in the background adds to the others. */
async function quietest<Result>(measure: () => Promise<Result>, size: (result: Result) => number): Promise<Result> {
  let best = await measure();
  for (let count = 0; count < 6; count++) {
    const next = await measure();
    if (size(next) < size(best)) best = next;
  }
  return best;
}

interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** The part of the compiled public API that is used here. */
interface Api {
  createServer(input: { readonly config: object }): Promise<Served & { start(): Promise<void> }>;
}

async function serve(entry: string, uri: string): Promise<Served> {
  const client = await MongoClient.connect(uri);
  await client
    .db('structure')
    .collection<{ _id: string }>('_models')
    .insertMany([...models]);
  await client.close();
  const { createServer } = (await import(pathToFileURL(entry).href)) as Api;
  const server = await createServer({
    config: {
      server: { host: '127.0.0.1', port: 0 },
      database: { uri, name: 'structure' },
      api: { open: true },
      middlewares: { logger: { level: 'silent' } },
    },
  });
  await server.start();
  // Read once: the getter is a function of the composition root.
  const { url } = server;
  for (const request of preparation) await send(url, request);
  return { url, stop: () => server.stop() };
}

async function send(url: string, { method, path, body }: WalkRequest): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body), headers }) });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors"'))
    throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
}

/** The functions that a request calls, by path from src of their file. */
async function functionsOf(coverage: Coverage, work: () => Promise<void>, folder: string): Promise<CalledFunctions> {
  const called = [...(await coverage.during(work))].filter(([url]) => url.startsWith(pathToFileURL(folder).href));
  return new Map(called.map(([url, names]) => [relative(folder, fileURLToPath(url)).replace(/\.js$/, '.ts'), names]));
}

const isRoot = (file: string): boolean => levelOf(file) === topLevel;

/** Jumps between the levels of functions that are called one after the other. */
export function countJumps(files: readonly string[]): Pick<Walk, 'down' | 'up'> {
  const levels = files.map((file) => levelOf(file));
  const jumps = levels.slice(1).map((level, index) => level - (levels[index] ?? level));
  return { down: jumps.filter((jump) => jump < 0).length, up: jumps.filter((jump) => jump > 0).length };
}
