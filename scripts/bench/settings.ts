import { parseArgs } from 'node:util';
import type { Peer } from './peers/peer.js';
import { peers } from './peers/peers.js';
import { sizeNames, type Size } from './sizes.js';
import type { Row } from './questions.js';
import { workload } from './workload.js';

/**
 * The comparison: the product with the lean baseline, with itself without authorization or on less data, with another
 * build, or with other content APIs.
 */
export type Comparison = 'baseline' | 'access' | 'growth' | 'builds' | 'peers';

/** A comparison, or what types cost that are added while the product runs. */
export type Mode = Comparison | 'hot';

/** The settings of a run. */
export interface Settings {
  readonly mode: Mode;
  /** Of growth: the largest. */
  readonly size: Size;
  readonly rows: readonly Row[];
  /** Length of one measurement. */
  readonly seconds: number;
  /** Seconds after which a side counts as warmed up, whatever it has answered. */
  readonly warmUp: number;
  /** How often both sides are measured, in turns, for each row. Of hot: types that are added in each way. */
  readonly rounds: number;
  /** Of hot: content types at the beginning. */
  readonly types: number;
  /** Of peers: those that the product is compared with. */
  readonly peers: readonly Peer[];
  /** Of builds: the checkout of the other one. */
  readonly against: string | null;
  /** Requests under way at any time. Each row is measured with each of them. */
  readonly connections: readonly number[];
  /** The folder of performance.md, whose table and plot of the mode and size are replaced; null: they stay. */
  readonly docs: string | null;
  /** Where the results go as JSON besides the table. */
  readonly jsonFile: string | null;
}

const peerNames = peers.map(({ name }) => name);
const rowKeys = workload.map(({ key }) => key);
const usualRows = workload.filter(({ isSynced }) => isSynced !== true).map(({ key }) => key);

export const usage = `usage: npm run bench -- [options]
  --access             the product with a token and a role of 50 permissions, against itself without authorization
  --growth             the product at each size up to --size, against itself at ${sizeNames[0]}
  --against DIRECTORY  this build against that of another checkout, with its dependencies installed
  --peers [NAME,...]   the product against other content APIs, which are installed in the user's cache folder:
                       ${peerNames.join(', ')} (default: all)
  --hot                what content types cost that are added to --types others while the product serves
  --types N            of --hot: content types at the beginning (default: 500)
  --size ${sizeNames.join('|')}   articles in the data set (default: 10k; of --growth: 1m); loaded once and kept in data/bench
  --rows a,b,...       rows of the workload: ${rowKeys.join(', ')} (c and m are both of their rows;
                       default: all that the mode is about, but for pushes)
  --seconds N          length of one measurement (default: 2; of --growth: 1)
  --rounds N           measurements of each side and row (default: 3; of --growth: 2); of --hot: types that are added
                       in each way (default: 20)
  --connections N,...  requests under way at any time, each of them in turn (default: 32; 8 and 32 against the
                       baseline, 8 of --growth and --peers); two in rows that read all content
  --docs DIRECTORY     replace the table and the plot of the mode, and of a --size that is not its default, in its
                       performance.md
  --json FILE          write the results as JSON
MONGODB_URI names the MongoDB to use; without it an embedded one is started.`;

interface Defaults {
  readonly size: Size;
  readonly rows: string;
  readonly seconds: string;
  /** 10 unless given. */
  readonly warmUp?: number;
  /** 32 unless given. */
  readonly connections?: string;
  /** 3 unless given. */
  readonly rounds?: string;
}

const defaults: Readonly<Record<Mode, Defaults>> = {
  baseline: { size: '10k', rows: usualRows.join(','), seconds: '2', connections: '8,32' },
  // The health check and files need no authorization, and updates with keys are answered without it.
  access: { size: '10k', rows: usualRows.filter((key) => !/^(?:n|m-download|put-key)$/.test(key)).join(','), seconds: '2' },
  // Both sides are the same program, so that they are warmed up alike.
  growth: { size: '1m', rows: 'a,b,c,d,e,f,g,h,i,j,o,p,q,s,u,v,w', seconds: '1', warmUp: 5, rounds: '2', connections: '8' },
  builds: { size: '10k', rows: usualRows.join(','), seconds: '2' },
  // Adds types instead of asking the rows.
  hot: { size: '10k', rows: usualRows.join(','), seconds: '2', rounds: '20' },
  // Without GraphQL, compression and files, which peers have in other packages or places; more at once would wait for seconds.
  peers: { size: '10k', rows: 'a,b,c,d,kept,e,f,h,i,j,k,l,o,q,s,u,w', seconds: '2', connections: '8' },
};

/** Reads the command line; null if it asks for help. Throws an Error that describes a mistake. */
export function readSettings(args: readonly string[]): Settings | null {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help) return null;
  const mode = readMode(values);
  const size = readSize(values.size ?? defaults[mode].size);
  if (mode === 'growth' && size === sizeNames[0]) throw new Error(`--size ${size}: growth needs a larger one`);
  return {
    mode,
    size,
    rows: readRows(values.rows ?? defaults[mode].rows),
    seconds: readPositive('--seconds', values.seconds ?? defaults[mode].seconds),
    warmUp: defaults[mode].warmUp ?? 10,
    rounds: Math.ceil(readPositive('--rounds', values.rounds ?? defaults[mode].rounds ?? '3')),
    types: Math.ceil(readPositive('--types', values.types ?? '500')),
    connections: (values.connections ?? defaults[mode].connections ?? '32')
      .split(',')
      .map((one) => Math.ceil(readPositive('--connections', one))),
    peers: readPeers(mode, positionals),
    against: values.against ?? null,
    docs: values.docs ?? null,
    jsonFile: values.json ?? null,
  };
}

/** Returns the name of the section of docs/performance.md, and of its plot: runs of another size than the default have their own. */
export const sectionName = ({ mode, size }: Pick<Settings, 'mode' | 'size'>): string =>
  size === defaults[mode].size ? mode : `${mode}-${size}`;

const options = {
  access: { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  against: { type: 'string' },
  peers: { type: 'boolean', default: false },
  hot: { type: 'boolean', default: false },
  types: { type: 'string' },
  size: { type: 'string' },
  rows: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  connections: { type: 'string' },
  docs: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readMode({ against, ...flags }: Partial<Record<Mode, boolean>> & { readonly against?: string }): Mode {
  const wanted = modes.filter((mode) => (mode === 'builds' ? against !== undefined : flags[mode]));
  const [first = 'baseline', second] = wanted;
  if (second !== undefined) throw new Error(`${wanted.map(spellMode).join(' and ')}: one at a time`);
  return first;
}

const modes = ['access', 'growth', 'builds', 'peers', 'hot'] as const;

const spellMode = (mode: Mode): string => (mode === 'builds' ? '--against' : `--${mode}`);

function readSize(text: string): Size {
  const size = sizeNames.find((name) => name === text.toLowerCase());
  if (size === undefined) throw new Error(`--size ${text}: one of ${sizeNames.join(', ')}`);
  return size;
}

/** The rows named, in the order of the workload. */
function readRows(text: string): readonly Row[] {
  const names = text.split(',').map((name) => name.trim());
  const isNamed = (name: string, { key }: Row): boolean => key === name || key.startsWith(`${name}-`);
  const unknown = names.find((name) => !workload.some((row) => isNamed(name, row)));
  if (unknown !== undefined) throw new Error(`--rows ${unknown}: one of ${rowKeys.join(', ')}`);
  return workload.filter((row) => names.some((name) => isNamed(name, row)));
}

/** The peers named behind `--peers`; all if none is. */
function readPeers(mode: Mode, [names, ...others]: readonly string[]): readonly Peer[] {
  if (names === undefined) return peers;
  if (mode !== 'peers' || others.length > 0) throw new Error(`${[names, ...others].join(' ')}: not an option`);
  const named = names.split(',');
  const unknown = named.find((name) => !peerNames.includes(name));
  if (unknown !== undefined) throw new Error(`--peers ${unknown}: one of ${peerNames.join(', ')}`);
  return peers.filter(({ name }) => named.includes(name));
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`${name} ${text}: a positive number`);
}
