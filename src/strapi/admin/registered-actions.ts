import type { AdminAction } from '#http/running.js';

/** The actions that code of a project registers for administrators. */
export class RegisteredActions {
  #added: readonly AdminAction[] = [];

  /** Returns the registered actions. The list is another one after each change. */
  readonly list = (): readonly AdminAction[] => this.#added;

  add(action: AdminAction): void {
    this.#added = [...this.#added, action];
  }
}
