import type { FormattedExecutionResult } from 'graphql';
import { diff } from './diff.js';

/** What the client of a live query receives. */
export type LiveMessage =
  (FormattedExecutionResult & { readonly revision: number }) | { readonly revision: number; readonly patch: readonly object[] };

/** Maximum number of different messages of an answer that are kept, for clients with other revisions. */
const mostKept = 20;

/** An answer to a query, as it was at one moment. */
export class LiveAnswer {
  readonly #body: FormattedExecutionResult;
  readonly #text: string;
  /** The answer that the last patch is for. */
  #former: LiveAnswer | null = null;
  #patch: readonly object[] | null = null;
  readonly #messages = new Map<string, LiveMessage>();

  constructor(body: FormattedExecutionResult) {
    this.#body = body;
    this.#text = JSON.stringify(body);
  }

  equals(other: LiveAnswer): boolean {
    return this.#text === other.#text;
  }

  /** Returns what makes this answer of a former one: a patch, or the whole of it if that is shorter, or there is no former one. */
  messageAfter(former: LiveAnswer | null, revision: number): LiveMessage {
    const patch = former === null ? null : this.#patchOf(former);
    const key = `${patch === null ? '' : 'patch '}${String(revision)}`;
    const message = this.#messages.get(key) ?? (patch === null ? { ...this.#body, revision } : { revision, patch });
    if (this.#messages.size < mostKept) this.#messages.set(key, message);
    return message;
  }

  /** Returns the patch; null if it is not shorter than the answer. Those who were last told of the same answer share it. */
  #patchOf(former: LiveAnswer): readonly object[] | null {
    if (this.#former === former) return this.#patch;
    const patch = diff(former.#body, this.#body);
    this.#messages.clear();
    this.#former = former;
    return (this.#patch = JSON.stringify(patch).length < this.#text.length ? patch : null);
  }
}
