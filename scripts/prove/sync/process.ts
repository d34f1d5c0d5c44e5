import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { nodeOptions, ownRoot } from '../../compile-targets.js';

interface Program {
  readonly file: string;
  /** Options of Node. */
  readonly options: readonly string[];
}

interface Start {
  /** Settings of sync. */
  readonly settings?: object;
  /** Further settings of the API. */
  readonly api?: object;
  readonly program?: Program;
}

const fromSource: Program = { file: join(import.meta.dirname, 'instance.ts'), options: ['--import', 'tsx'] };

/** The program as `compileTargets` compiles it, with the options of Node of `npm start`, for measurements. */
export const compiled: Program = { file: join(ownRoot, 'dist/scripts/prove/sync/instance.js'), options: nodeOptions };

/** A process of the service. */
export class Instance {
  readonly url: string;
  readonly #child: ChildProcess;
  /** Called with the answers to messages, which come in their order. */
  readonly #waiting: ((answer: unknown) => void)[] = [];

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on('message', (answer) => this.#waiting.shift()?.(answer));
    child.on('exit', () => {
      for (const end of this.#waiting.splice(0)) end(null);
    });
  }

  /** Starts a process over a database. `isFirst`: whether it stores the models; `settings`: those of sync. */
  static async start(
    uri: string,
    isFirst: boolean,
    { settings = {}, api = {}, program = fromSource }: Start = {},
  ): Promise<Instance> {
    const args = [uri, JSON.stringify({ sync: settings, ...api }), ...(isFirst ? ['first'] : [])];
    const child = fork(program.file, args, { execArgv: ['--expose-gc', ...program.options] });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('an instance does not start')));
    const [url] = (await Promise.race([once(child, 'message'), ended])) as [string];
    ended.catch(() => undefined);
    return new Instance(child, url);
  }

  /** Resolves when the process has noticed every write so far, or has ended. */
  async settled(): Promise<void> {
    await this.#ask('settle');
  }

  /** Returns the memory that the process uses after a collection of garbage. */
  async memory(): Promise<NodeJS.MemoryUsage> {
    return (await this.#ask('memory')) as NodeJS.MemoryUsage; // as `instance.ts` answers
  }

  #ask(message: string): Promise<unknown> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.send(message);
    });
  }

  /** Kills the process with SIGKILL. */
  kill(): Promise<void> {
    return this.#end(() => this.#child.kill('SIGKILL'));
  }

  stop(): Promise<void> {
    return this.#end(() => this.#child.send('stop'));
  }

  async #end(end: () => unknown): Promise<void> {
    const ended = once(this.#child, 'exit');
    end();
    await ended;
  }
}
