import type { Config } from '../config/config.js';
import type { Observer } from '../observe/observer.js';
import { runUnlessUnsupported } from './run-code.js';
import { UnsupportedCodeError } from './unsupported-code.js';

/** The problems of a project's code. In production they are collected, so that the start reports all of them before it stops. */
export class CodeProblems {
  readonly #observer: Observer;
  /** Problems that have not been reported; null once the service runs, or outside of production. */
  #found: string[] | null;

  constructor({ config, observer }: { readonly config: Pick<Config, 'environment'>; readonly observer: Observer }) {
    this.#observer = observer;
    this.#found = config.environment === 'production' ? [] : null;
  }

  /** The problems so far, if they are collected. */
  get found(): readonly string[] {
    return this.#found ?? [];
  }

  /** Notes code that cannot run here. */
  readonly warn = (text: string): void => {
    if (this.#found === null) this.tell(text);
    else this.#found.push(text);
  };

  /** Logs what stops nothing. */
  readonly tell = (text: string): void => {
    this.#observer.observe({ kind: 'code warned', text });
  };

  /**
   * Runs the code of a file and returns its result; undefined, after a note, if it uses something that is not offered. Other errors
   * are thrown, or noted where problems are collected.
   */
  running<Result>(file: string, run: () => Result): Result | undefined {
    try {
      return runUnlessUnsupported(file, this.warn, run);
    } catch (error) {
      if (this.#found === null) throw error;
      this.warn(`${file}${lineOf(error, file)}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Throws an UnsupportedCodeError that lists all problems, if there are any. */
  refuse(): void {
    const found = this.#found ?? [];
    if (found.length > 0) throw new UnsupportedCodeError([...new Set(found)].join('\n'));
  }

  /** Logs further problems. Called when the service runs, which they do not stop. */
  end(): void {
    this.#found = null;
  }
}

/** Returns the line of a file in the stack of an error, as `:12`; empty if there is none. */
function lineOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, line] = stack.split(`${file}:`)[1]?.match(/^(\d+)/) ?? [];
  return line === undefined ? '' : `:${line}`;
}
