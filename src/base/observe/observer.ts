import type { Observation, ObservationKind, ObservationOf } from './observation.js';

/** Takes observations: a function for each kind that it takes. */
export type Consumer = {
  readonly [Kind in ObservationKind]?: (observation: ObservationOf<Kind>) => void;
};

/** Passes observations to consumers, in the order in which they were added. */
export class Observer {
  readonly #takers = new Map<ObservationKind, readonly ((observation: Observation) => void)[]>();

  constructor(...consumers: readonly Consumer[]) {
    for (const consumer of consumers) this.add(consumer);
  }

  add(consumer: Consumer): void {
    for (const [name, take] of Object.entries(consumer)) {
      const kind = name as ObservationKind; // the keys of a Consumer
      this.#takers.set(kind, [...(this.#takers.get(kind) ?? []), take as (observation: Observation) => void]); // called with its kind only
    }
  }

  /** Returns whether a consumer takes a kind. Asked before observations of requests, commands and jobs are built. */
  hasConsumer(kind: ObservationKind): boolean {
    return this.#takers.has(kind);
  }

  observe(observation: Observation): void {
    for (const take of this.#takers.get(observation.kind) ?? []) take(observation);
  }
}

/** For code without consumers, such as commands. */
export const noObserver = new Observer();
