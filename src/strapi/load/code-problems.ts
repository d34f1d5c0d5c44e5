import type { Config } from '#settings/config.js';
import { lineIn } from '#settings/load-source.js';
import { ConfigError } from '#settings/setting.js';
import { messageOf } from '#base/errors.js';
import type { Observer } from '#base/observe/observer.js';
import { runUnlessUnsupported } from './run-code.js';

/** A place in the code of a project. */
export interface CodePlace {
  /** Path of the file, relative to the project. */
  readonly file: string;
  readonly line?: number;
  /** Keys and texts of an object in the file, such as those of a route. */
  readonly object?: Readonly<Record<string, string>>;
  /** A file that could not run, if that is the cause. It is a problem of its own. */
  readonly needs?: string;
}

/** Notes code that cannot run here; `place` if the text does not begin with it. */
export type NoteProblem = (text: string, place?: CodePlace) => void;

/** The problems of a project's code. In production they are collected, so that the start reports all of them before it stops. */
export class CodeProblems {
  readonly #observer: Observer;
  /** Problems that have not been reported; null once the service runs, or outside of production. */
  #texts: string[] | null;
  /** Numbers of problems that a file causes which could not run. */
  readonly #needs = new Map<string, number>();
  /** The places of problems whose text does not begin with them. */
  readonly places = new Map<string, CodePlace>();

  constructor({ config, observer }: { readonly config: Pick<Config, 'environment'>; readonly observer: Observer }) {
    this.#observer = observer;
    this.#texts = config.environment === 'production' ? [] : null;
  }

  /** The problems so far, if they are collected. */
  get problems(): readonly string[] {
    return (this.#texts ?? []).map((text) => {
      const needs = this.#needs.get(/^([^\s:]+):/.exec(text)?.[1] ?? '');
      return needs === undefined ? text : `${text} (${String(needs)} ${needs === 1 ? 'route needs' : 'routes need'} it)`;
    });
  }

  /** Notes code that cannot run here. */
  readonly warn: NoteProblem = (text, place) => {
    if (place !== undefined) this.places.set(text, place);
    const { needs } = place ?? {};
    if (this.#texts === null) this.log(text);
    else if (needs === undefined) this.#texts.push(text);
    else this.#needs.set(needs, (this.#needs.get(needs) ?? 0) + 1);
  };

  /** Logs what stops nothing. */
  readonly log = (text: string, place?: CodePlace): void => {
    if (place !== undefined) this.places.set(text, place);
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
      if (this.#texts === null) throw error;
      const line = lineIn(error, file);
      this.warn(`${file}${line === null ? '' : `:${String(line)}`}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Throws a ConfigError that lists all problems, if there are any. */
  refuse(): void {
    const { problems } = this;
    if (problems.length > 0) throw new ConfigError([...new Set(problems)].join('\n'));
  }

  /** Logs further problems. Called when the service runs, which they do not stop. */
  end(): void {
    this.#texts = null;
  }
}
