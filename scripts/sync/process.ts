import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process of the service. */
export class Instance {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #settling: (() => void)[] = [];

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    child.on('message', () => this.#settling.shift()?.());
    child.on('exit', () => {
      for (const end of this.#settling.splice(0)) end();
    });
  }

  /** Starts a process over a database. `isFirst`: whether it stores the models. */
  static async start(uri: string, isFirst: boolean): Promise<Instance> {
    const args = [uri, ...(isFirst ? ['first'] : [])];
    const child = fork(join(import.meta.dirname, 'instance.ts'), args, { execArgv: ['--import', 'tsx'] });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('an instance does not start')));
    const [url] = (await Promise.race([once(child, 'message'), ended])) as [string];
    ended.catch(() => undefined);
    return new Instance(child, url);
  }

  /** Resolves when the process has noticed every write so far, or has ended. */
  settled(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settling.push(resolve);
      this.#child.send('settle');
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
