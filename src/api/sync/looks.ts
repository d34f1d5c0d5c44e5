import type { Sight, SyncSession } from './sync-session.js';

/** Identifies the callers of sessions at one moment. Those with equal credentials who ask the same are identified once. */
export class Looks {
  readonly #known = new Map<object, Map<string, Promise<Sight>>>();

  /** Throws what the next request of the session would be answered. */
  at(session: SyncSession): Promise<Sight> {
    const { asked, identity } = session;
    const ofAsked = this.#known.get(asked) ?? new Map<string, Promise<Sight>>();
    this.#known.set(asked, ofAsked);
    const known = ofAsked.get(identity);
    if (known !== undefined) return known;
    const sight = session.identify();
    ofAsked.set(identity, sight);
    return sight;
  }
}

/** The looks at those who begin to wait in one turn of the event loop. After a wake-up they may be thousands with equal credentials. */
export class LooksOfTurn {
  #looks: Looks | null = null;

  get(): Looks {
    this.#looks ??= this.#begin();
    return this.#looks;
  }

  /** Forgets the looks, because rights have changed. */
  forget(): void {
    this.#looks = null;
  }

  #begin(): Looks {
    setImmediate(() => {
      this.#looks = null;
    });
    return new Looks();
  }
}
