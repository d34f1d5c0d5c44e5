import { parseArgs } from 'node:util';
import { sizes, type Size } from './sizes.js';
import { workload, type RowKey } from './workload.js';

/** What to measure, and for how long. */
export interface Settings {
  readonly size: Size;
  readonly rows: readonly RowKey[];
  /** Length of one measurement. */
  readonly seconds: number;
  /** How often both targets are measured, in turns, for each row. */
  readonly rounds: number;
  /** Requests under way at any time. */
  readonly connections: number;
  /** Where the results go as JSON besides the table. */
  readonly jsonFile: string | null;
}

const rowKeys = workload.map(({ key }) => key);

const usage = `usage: npm run bench -- [options]
  --size 10k|100k|1m   articles in the data set (default: 10k); it is loaded once and kept in data/bench
  --rows a,b,...       rows of the workload: ${rowKeys.join(', ')} (default: all; c is both of its rows)
  --seconds N          length of one measurement (default: 2)
  --rounds N           measurements of each target and row (default: 3)
  --connections N      requests under way at any time (default: 32)
  --json FILE          write the results as JSON
MONGODB_URI names the MongoDB to use; without it an embedded one is started.`;

/** Reads the command line; answers --help and mistakes itself. */
export function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '10k' },
      rows: { type: 'string', default: rowKeys.join(',') },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '32' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) leave(usage, 0);
  return {
    size: readSize(values.size),
    rows: values.rows.split(',').flatMap(readRow),
    seconds: readPositive('--seconds', values.seconds),
    rounds: Math.ceil(readPositive('--rounds', values.rounds)),
    connections: Math.ceil(readPositive('--connections', values.connections)),
    jsonFile: values.json ?? null,
  };
}

function readSize(text: string): Size {
  const size = Object.keys(sizes).find((name) => name === text.toLowerCase());
  // `sizes` has no other keys.
  return size === undefined ? refuse(`--size ${text}: one of ${Object.keys(sizes).join(', ')}`) : (size as Size);
}

function readRow(text: string): readonly RowKey[] {
  const name = text.trim();
  const found = rowKeys.filter((key) => key === name || key.startsWith(`${name}-`));
  return found.length > 0 ? found : refuse(`--rows ${name}: one of ${rowKeys.join(', ')}`);
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : refuse(`${name} ${text}: a positive number`);
}

const refuse = (message: string): never => leave(`${message}\n\n${usage}`, 2);

function leave(message: string, exitCode: number): never {
  console.log(message);
  process.exit(exitCode);
}
