import type { Target } from './target.js';

/** How hard to attack: `short` for every build, `full` as found by a security review. */
export type Scale = 'short' | 'full';

/** How one request of an attack ended. */
export interface Hit {
  /** Null: the service closed the connection without an answer. */
  readonly status: number | null;
  /** Bytes of the answer's body. */
  readonly bytes: number;
  /** The beginning of the body of a refusal, or of one with GraphQL errors. */
  readonly refusal?: string;
  /** What the client has achieved that it must not; null if nothing. Attacks that set it judge their own answers. */
  readonly achieved?: string | null;
}

/** Requests that any client may send. */
export interface Attack {
  readonly name: string;
  /** Preparation by a client with rights. Resolves to the value that the attack needs from it. */
  readonly prepare?: (target: Target) => Promise<string>;
  /** Sends the attack, and resolves when every request has ended. `prepared`: the value of `prepare`. */
  readonly run: (target: Target, scale: Scale, prepared: string) => Promise<readonly Hit[]>;
  /** Part of the message of the expected refusal, which proves that the attack reaches its target. Absent if it is answered. */
  readonly refusedBy?: string;
  /** Statuses that some of its requests may have besides: 503 where work waits in a queue, null where connections are cut. */
  readonly besides?: readonly (number | null)[];
  /** The most database commands that one of its requests may cause. */
  readonly commands: number;
  /** The most documents that one of its requests may read. */
  readonly documents: number;
  /** The most milliseconds of processor time that one of its requests may take; absent if they are not limited. */
  readonly cpu?: number;
}

/** The effects of an attack on the service. */
export interface Damage {
  readonly attack: Attack;
  readonly hits: readonly Hit[];
  readonly isAlive: boolean;
  /** Database commands and documents read, for each request. */
  readonly commands: number;
  readonly documents: number;
  /** Processor time in milliseconds, for each request. */
  readonly cpu: number;
  /** The longest time of a harmless request of another client, in milliseconds. */
  readonly longestWait: number;
  /** Harmless requests that were sent meanwhile, and those of them that were not answered by 200. */
  readonly others: number;
  readonly othersFailed: number;
  /** Resident memory at its peak above that of the start, in bytes. */
  readonly memory: number;
  readonly seconds: number;
}

/** Maximum bytes of an answer: `api.limits.answerBytes` and its envelope. */
const mostBytes = 16_777_216 + 65_536;

const isAimed = ({ status, refusal, achieved }: Hit, { refusedBy, besides = [] }: Attack): boolean =>
  achieved !== undefined ||
  besides.includes(status) ||
  (refusedBy === undefined ? status === 200 && refusal === undefined : refusal?.includes(refusedBy) === true);

/** Returns the failures that an attack has shown, one sentence each. Waiting time and memory count on the full scale only. */
export function judge(damage: Damage, scale: Scale): readonly string[] {
  const { attack, hits, isAlive, commands, documents, cpu, longestWait, others, othersFailed, memory } = damage;
  const failed = hits.filter(({ status }) => status !== null && status >= 500 && status !== 503).length;
  const missed = hits.filter((hit) => !isAimed(hit, attack)).length;
  const largest = Math.max(0, ...hits.map(({ bytes }) => bytes));
  const asserted: readonly (readonly [wrong: boolean, problem: string])[] = [
    [!isAlive, 'the service has ended'],
    [hits.length === 0, 'no request was sent'],
    [failed > 0, `${String(failed)} answers were a 5xx other than 503`],
    [
      missed > 0,
      `${String(missed)} requests were not ${attack.refusedBy === undefined ? 'answered' : `refused by: ${attack.refusedBy}`}`,
    ],
    [others === 0, 'nobody else was served'],
    [othersFailed > 0, `${String(othersFailed)} of ${String(others)} requests of others were not answered by 200`],
    [largest > mostBytes, `an answer had ${String(largest)} bytes`],
    [commands > attack.commands, `${commands.toFixed(1)} commands for each request, ${String(attack.commands)} allowed`],
    [documents > attack.documents, `${documents.toFixed(0)} documents for each request, ${String(attack.documents)} allowed`],
    [cpu > (attack.cpu ?? Infinity), `${cpu.toFixed(1)} ms of processor time for each request, ${String(attack.cpu)} allowed`],
    [scale === 'full' && longestWait > 500, `others waited ${longestWait.toFixed(0)} ms`],
    [scale === 'full' && memory > 250e6, `memory grew by ${(memory / 1e6).toFixed(0)} MB`],
  ];
  return [...asserted.flatMap(([wrong, problem]) => (wrong ? [problem] : [])), ...hits.flatMap((hit) => hit.achieved ?? [])];
}
