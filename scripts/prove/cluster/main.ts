import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { startCluster, type Cluster } from './start-cluster.js';

/*
 * `npm run test:cluster`: everything that may differ on a sharded cluster. The tests of the cluster and of models that change, then the
 * recorded requests on types that are not sharded, and a part of them on types that are.
 */

const mocha = 'node_modules/mocha/bin/mocha.js --no-config -n import=tsx --require test/cluster/hooks.ts --timeout 60000'.split(
  ' ',
);
const replay = ['--import', 'tsx', 'scripts/prove/conformance/run.ts', '-q', '--floor'];

const recorded = existsSync('../shared/conformance');

const steps: readonly (readonly string[])[] = [
  [...mocha, 'test/cluster/*.cluster.ts', 'test/store/hot-models.long.ts'],
  ...(recorded
    ? [
        [...replay, 'crud', 'filters', 'populate', 'relations', 'i18n', 'auth', 'upload'],
        [...replay, '--shard', 'crud', 'filters', 'populate', 'relations'],
      ]
    : []),
];

const cluster = await startCluster(console.log);
let stopping: Promise<void> | null = null;
const stop = (): Promise<void> => (stopping ??= cluster.stop());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  process.exitCode = await runAll(cluster);
} finally {
  await stop();
}

/** The number of steps that have failed. */
async function runAll({ uri }: Cluster): Promise<number> {
  let failed = 0;
  for (const step of steps) if ((await run(step, uri)) !== 0) failed += 1;
  return failed;
}

async function run(args: readonly string[], uri: string): Promise<number> {
  const begun = performance.now();
  const env = { ...process.env, MONGODB_URI: uri, TEST_MONGODB_URI: uri };
  const [code] = (await once(spawn(process.execPath, [...args], { stdio: 'inherit', env }), 'exit')) as [number | null];
  console.log(`exit code ${String(code)} after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return code ?? 1;
}
