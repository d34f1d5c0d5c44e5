import { parseArgs } from 'node:util';
import { testKilled } from './killed.js';
import { testLarge } from './large.js';

/*
 * `npm run test:backup`: backs up 100,000 entries and 2 GB of files while a bank works, restores them, and compares every byte; peak memory
 * must be under 200 MB. Then kills a service and the primary of a replica set in the middle of backups and restores. `--short`: 20,000
 * entries and 200 MB; `--entries N`, `--megabytes N`: as many; `--only large|killed`.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    entries: { type: 'string' },
    megabytes: { type: 'string' },
    only: { type: 'string' },
  },
});
const entries = Number(values.entries ?? (values.short ? 20_000 : 100_000));
const megabytes = Number(values.megabytes ?? (values.short ? 200 : 2_000));
const tests = { large: () => testLarge({ entries, megabytes }), killed: () => testKilled(Math.ceil(entries / 5_000) * 1_000) };
const problems: string[] = [];
for (const [name, test] of Object.entries(tests))
  if (values.only === undefined || values.only === name) problems.push(...(await test()).map((problem) => `${name}: ${problem}`));
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? 'nothing went wrong' : `${String(problems.length)} problems`);
process.exit(problems.length === 0 ? 0 : 1);
