import { createHash } from 'node:crypto';
import { ApiError } from '#base/errors.js';
import type { ProjectCode } from '#http/project-code.js';
import { agentCall, type AgentCall } from './agent-call.js';
import { describeType, localesOf, summaries } from './describe.js';
import { againOf, type LastingCall } from './identify-agent.js';
import { parseResource } from './resource-name.js';

interface WatchInput {
  readonly call: LastingCall;
  readonly projectCode: ProjectCode | null;
  readonly uris: readonly string[];
}

/** Compares what a caller is told of types with what it was told before. */
export class TypeWatch {
  readonly #input: WatchInput;
  readonly #digests: Map<string, string | null>;
  /** What the digests depend on, compared by identity. */
  #dependencies: readonly unknown[] = [];

  constructor(input: WatchInput, call: AgentCall) {
    this.#input = input;
    this.#digests = new Map(input.uris.map((uri) => [uri, digestOf(uri, call)]));
  }

  /** Returns the addresses whose answers have changed since the last time. Throws a 4xx if the caller may not use the endpoint any more. */
  async changed(): Promise<readonly string[]> {
    const { call, projectCode } = this.#input;
    const again = agentCall(await againOf(call), projectCode);
    const { access, registry, locales, defaultLocale } = again.content.bind;
    const dependencies = [access, registry, locales, defaultLocale];
    if (dependencies.every((one, index) => one === this.#dependencies[index])) return [];
    this.#dependencies = dependencies;
    return [...this.#digests].flatMap(([uri, before]) => {
      const digest = digestOf(uri, again);
      this.#digests.set(uri, digest);
      return digest === before ? [] : [uri];
    });
  }
}

/** Returns what stands for an answer; null if there is none for the caller. */
export function digestOf(uri: string, call: AgentCall): string | null {
  try {
    const name = parseResource(uri);
    if (name === null || name.kind === 'entry') return null;
    const answer = name.kind === 'types' ? [summaries(call), localesOf(call)] : describeType(name.type, call);
    return createHash('sha256').update(JSON.stringify(answer)).digest('base64url');
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
