import type { HttpRequest } from '../questions.js';
import type { Size } from '../sizes.js';
import type { TargetProgram } from '../target.js';

/** Another content API, on the same content, everything being allowed to everybody. */
export interface Peer {
  /** Its name on the command line. */
  readonly name: string;
  /** Its name, version and database in the tables. */
  readonly title: string;
  /** Serves the content of a size; the arguments behind the database's are `options`. */
  readonly program: TargetProgram;
  /** Whether its program fills an own database on the MongoDB of the benchmark; otherwise its database is part of its process. */
  readonly onMongoDB: boolean;
  options(size: Size): readonly string[];
  /** Installs it in the user's cache folder, unless an earlier run has. */
  install(): Promise<void>;
  /** Returns how it is asked for what a request asks of the product. Throws an Error if it cannot be asked for that. */
  ask(request: HttpRequest): HttpRequest;
  /** Returns its answer as `plainAnswer` returns the product's. Without it, the two are compared as they are. */
  read?(answer: unknown): unknown;
  /** Returns the request for what a write has written, if the answer to it does not say that. */
  recall?(request: HttpRequest, answer: unknown): HttpRequest | null;
  /** Rows whose answers may hold other entries. */
  readonly loose: ReadonlySet<string>;
}

/** Rows that sort by values that several entries share. Peers leave it to their database which of these come first. */
export const unordered = ['i', 'j', 's-relation', 's-unindexed'] as const;
