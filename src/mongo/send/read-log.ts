import type { Document } from 'mongodb';
import { currentMoment } from '../../query/moment.js';

/** What the answer to a request was made from, as far as that can change. */
export class ReadLog {
  /** The tick before anything was read. */
  readonly begun: number;
  /** The collections that were read. */
  readonly collections = new Set<string>();
  /** The types whose reads code of a project may surround. */
  readonly uids = new Set<string>();
  /** Whether the answer depends on more than these collections: on the time, or on code of a project. */
  dependsOnMore = false;

  constructor(begun: number) {
    this.begun = begun;
  }

  /** Returns the current time, as `$now` in a condition means it. */
  readonly now = (): number => {
    this.dependsOnMore = true;
    return currentMoment();
  };

  /** Notes the collections that a command reads. Its first key names one, and stages of a pipeline may name further ones. */
  noteCommand(command: Document): void {
    for (const name in command) {
      this.collections.add(String(command[name]));
      break;
    }
    const { pipeline } = command;
    if (Array.isArray(pipeline)) this.#noteStages(pipeline as readonly Document[]);
  }

  #noteStages(stages: readonly Document[]): void {
    for (const stage of stages) for (const [operator, value] of Object.entries(stage)) this.#noteStage(operator, value);
  }

  #noteStage(operator: string, value: unknown): void {
    const { from, coll, pipeline } = Object(value) as Document;
    if (joins.has(operator)) this.collections.add(String(from ?? coll ?? value));
    if (Array.isArray(pipeline)) this.#noteStages(pipeline as readonly Document[]);
    if (operator === '$facet')
      for (const inner of Object.values(Object(value) as Document)) this.#noteStages(inner as readonly Document[]);
  }
}

/** The stages that read another collection. */
const joins: ReadonlySet<string> = new Set(['$lookup', '$graphLookup', '$unionWith']);
