import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Report, Usage } from './report-to-parent.js';

/** A process under measurement. */
export interface Target {
  readonly url: string;
  readUsage(): Promise<Usage>;
  /** Stops the process where it stands, so that its timers and change streams cost nothing while the other is measured. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** A compiled program of this folder. */
export type TargetProgram = 'product' | 'hot-product' | 'baseline' | 'strapi/server';

/** This checkout. */
export const ownRoot = path.resolve(import.meta.dirname, '../..');

/** The options of Node with which `npm start` runs the product. The baseline gets them as well; Strapi runs as it ships. */
export const nodeOptions = readNodeOptions();

function readNodeOptions(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ownRoot, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.split(' ').filter((part) => part.startsWith('--'));
}

/** Compiles the product and the targets of a checkout to dist/: what runs under load is plain JavaScript, as it is installed. */
export async function compileTargets(root: string): Promise<void> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [compiler, '-p', path.join(root, 'scripts/bench/tsconfig.json')], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the targets of ${root} could not be compiled`);
}

/** Starts a compiled program of this folder in a checkout with arguments, in production mode. */
export async function startTarget(root: string, program: TargetProgram, options: readonly string[]): Promise<Target> {
  const child = fork(path.join(root, 'dist/scripts/bench', `${program}.js`), options, {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: program === 'strapi/server' ? [] : [...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const { url } = await nextReport(child, 'ready');
  return {
    url,
    readUsage: () => {
      child.send('usage');
      return nextReport(child, 'usage');
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: async () => {
      process.off('exit', kill);
      const closed = once(child, 'close');
      kill();
      await closed;
    },
  };
}

/** The next message of that kind; an error when the process ends before. */
function nextReport<K extends Report['kind']>(child: ChildProcess, kind: K): Promise<Extract<Report, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => {
      reject(new Error(`${child.spawnargs[1] ?? 'a target'} ended (${String(code)})`));
    };
    child.once('exit', fail);
    child.once('message', (report: Report) => {
      child.off('exit', fail);
      if (report.kind !== kind) reject(new Error(`${report.kind} instead of ${kind}`));
      // Narrowed by the line above, which the compiler does not follow through a type parameter.
      else resolve(report as Extract<Report, { kind: K }>);
    });
  });
}
