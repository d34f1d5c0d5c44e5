import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startConformanceServer } from './conformance-server.js';
import { compareWithFloor, countDecided, raiseFloor, readDecided, readFloor, writeFloor } from './floor.js';
import { checkAnswers, readDocument, type OpenapiDocument } from './check-answers.js';
import type { Exchange } from './listen-in-front.js';
import { replay, type Replay } from './replay.js';

const usage = `usage: npm run conformance -- [options] [area | area/name prefix]...
  --dir DIR       recordings (default: ../shared/conformance)
  --variant NAME  those of DIR/variants/NAME, under its settings
  --admin         those of the admin panel, DIR/admin, or its variant
  --golden DIR    other recordings
  --setup FILE    another setup.json
  --floor         fail only where an area passes fewer cases than test/conformance-floor.json says; those of
                  test/conformance-decided.json may differ
  --raise         write the counts that are higher than the floor into that file
  --archive FILE  import the content from an archive of Strapi instead of creating it
  --shard         shard every type that can be by its ids; MONGODB_URI names a mongos
  --serve PORT    serve the content, and POST /__reset, on a port until it is ended
  --openapi       check every answer against the OpenAPI document of the service
  -q              no differences, only the figures`;

/** Areas that only a variant has. */
const variants: ReadonlySet<string> = new Set(['admin-first-user', 'admin-rate-limit']);

const floorFile = path.resolve(import.meta.dirname, '../../../test/conformance-floor.json');
const decidedFile = path.resolve(import.meta.dirname, '../../../test/conformance-decided.json');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: '../shared/conformance' },
    variant: { type: 'string' },
    admin: { type: 'boolean', default: false },
    golden: { type: 'string' },
    archive: { type: 'string' },
    setup: { type: 'string' },
    floor: { type: 'boolean', default: false },
    openapi: { type: 'boolean', default: false },
    serve: { type: 'string' },
    shard: { type: 'boolean', default: false },
    raise: { type: 'boolean', default: false },
    quiet: { type: 'boolean', short: 'q', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(usage);
else process.exitCode = await run();

async function run(): Promise<number> {
  const directory = path.resolve(values.dir);
  const recordings = values.admin ? path.join(directory, 'admin') : directory;
  const variant = values.variant === undefined ? recordings : path.join(recordings, 'variants', values.variant);
  const isOther = variant !== directory;
  const golden = values.golden ?? (isOther ? path.join(variant, 'golden') : undefined);
  const setupFile = values.setup ?? (isOther ? path.join(variant, 'setup.json') : undefined);
  const exchanges: Exchange[] = [];
  const server = await startConformanceServer({
    directory,
    port: Number(values.serve ?? 0),
    setupFile,
    archive: values.archive,
    shard: values.shard,
    rateLimit: limitsAttempts(golden) ? 'on' : 'off',
    observe: values.openapi ? (exchange) => void exchanges.push(exchange) : undefined,
  });
  const leave = (): void => void server.stop().then(() => process.exit(130));
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    if (values.serve !== undefined) {
      console.log(`listening on ${server.url}`);
      await once(process, 'exit');
    }
    const document = values.openapi ? await readDocument(server.url) : null;
    exchanges.length = 0;
    const replayed = await replay(server.url, { directory, golden, setupFile, selection: positionals, isQuiet: values.quiet });
    const code = judge(replayed, golden);
    return document === null ? code : Math.max(code, reportAnswers(exchanges, document));
  } finally {
    await server.stop();
  }
}

/** Whether the limiter of log-ins belongs on: RATE_LIMIT=1, or recordings that were made of it. */
function limitsAttempts(golden: string | undefined): boolean {
  if (process.env.RATE_LIMIT !== undefined) return process.env.RATE_LIMIT === '1';
  return golden !== undefined && readdirSync(golden).some((file) => /^(admin-)?rate-?limit\.json$/.test(file));
}

/** The exit code: 1 if the document describes some answer wrongly. */
function reportAnswers(exchanges: readonly Exchange[], document: OpenapiDocument): number {
  const { checked, operations, problems } = checkAnswers(exchanges, document);
  for (const problem of problems.slice(0, 50)) console.error(problem);
  console.log(
    `${String(checked)} answers of ${String(operations)} operations checked against the OpenAPI document, ${String(problems.length)} differ`,
  );
  return problems.length > 0 ? 1 : 0;
}

/** The exit code: the replayer's own, or what the floor says of it. */
function judge({ exitCode, areas: replayed, failed }: Replay, golden: string | undefined): number {
  const floor = readFloor(floorFile);
  const areas = countDecided(replayed, failed, readDecided(decidedFile));
  if (values.raise) writeFloor(floorFile, raiseFloor(floor, areas));
  // 2: the replayer could not start.
  if (!values.floor || exitCode > 1) return exitCode;
  const judged = Object.keys(floor).filter((area) => isWhollyRun(area, golden));
  const fallen = compareWithFloor(floor, areas, judged);
  for (const line of fallen) console.error(line);
  console.log(fallen.length > 0 ? 'below the floor' : 'no area is below the floor');
  return fallen.length > 0 ? 1 : 0;
}

/** The replayer takes an area, or the beginning of a name, as in `filters/title`: of the latter kind no count can be judged. */
function isWhollyRun(area: string, golden: string | undefined): boolean {
  if (values.variant !== undefined) return area === values.variant;
  if (variants.has(area) || (golden !== undefined && !values.admin)) return false;
  if (isOfPanel(area) !== values.admin) return false;
  return positionals.length === 0 || positionals.some((selected) => area.startsWith(selected));
}

/** Whether an area is one of the admin panel's. */
function isOfPanel(area: string): boolean {
  return /^(admin|cm)-/.test(area);
}
