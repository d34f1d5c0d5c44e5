import type { Document } from 'mongodb';
import { currentMoment } from '#model/query/moment.js';
import type { Loaded } from '../form/loaded.js';

/** What the answer to a request was made from, as far as that can change. Made for each read, so it has lists instead of sets. */
export class ReadLog {
  /** The tick before anything was read. */
  readonly begun: number;
  /** The collections that were read; one may occur several times. */
  readonly collections: string[] = [];
  /** The types whose reads code of a project may surround. */
  readonly uids: string[] = [];
  /** Whether the answer depends on more than these collections: on the time, or on code of a project. */
  dependsOnMore = false;
  /** Whether something outside of the database has found entries of the answer. */
  isFoundOutside = false;

  /** The entries that were read to be shown, with those that they populate; null if nobody asks for them. */
  readonly entries: Loaded[] | null;

  constructor(begun: number, { notesEntries = false } = {}) {
    this.begun = begun;
    this.entries = notesEntries ? [] : null;
  }

  /** Notes that something outside of the database has found the entries. It learns of changes later than the service. */
  noteOutside(): void {
    this.isFoundOutside = true;
    this.noteMore();
  }

  /** Notes that the answer depends on more than what is read. */
  noteMore(): void {
    this.dependsOnMore = true;
  }

  /** Returns the current time, as `$now` in a condition means it. */
  readonly now = (): number => {
    this.noteMore();
    return currentMoment();
  };

  /** Notes a type of which code of a project may surround reads, and whether it does. */
  noteType(uid: string, isSurrounded: boolean): void {
    this.uids.push(uid);
    this.dependsOnMore ||= isSurrounded;
  }

  /** Notes the collections that a command reads. Its first key names one, and the joins and unions of a pipeline name further ones. */
  noteCommand(command: Document): void {
    for (const name in command) {
      this.collections.push(String(command[name]));
      break;
    }
    this.#noteStages(command['pipeline']);
  }

  #noteStages(stages: unknown): void {
    if (!Array.isArray(stages)) return;
    for (const stage of stages as readonly Readonly<Record<string, Document | undefined>>[]) {
      for (const facet of Object.values(stage['$facet'] ?? {})) this.#noteStages(facet);
      const joined = stage['$lookup'] ?? stage['$unionWith'];
      if (joined === undefined) continue;
      this.collections.push(String(joined['from'] ?? joined['coll']));
      this.#noteStages(joined['pipeline']);
    }
  }
}
