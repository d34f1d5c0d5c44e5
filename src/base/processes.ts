import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process on a machine. */
interface ProcessAddress {
  readonly host: string;
  readonly pid: number;
}

/** Returns whether a process runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Returns whether a process has ended that left data behind. That is true if it was on this machine, and either does not run or
 * had the id that this process (`self`) has now. It is false for other machines, whose processes are unknown.
 */
export const hasEnded = ({ host, pid }: ProcessAddress, self: ProcessAddress): boolean =>
  host === self.host && (pid === self.pid || !isRunning(pid));

/** A process among all that ever run: also those of other containers with the same host name, and later ones with the same id. */
export interface ProcessIdentity {
  /** `processSpace` of the process. */
  readonly space: string;
  readonly pid: number;
  /** The time of its start, in ticks since the boot. */
  readonly started: string;
}

/** Returns the identity of a process of this space; null if the system does not tell it, as all but Linux. */
export function identityOf(pid: number): ProcessIdentity | null {
  const state = stateOf(pid);
  return state === null ? null : { space: processSpace, pid, started: state.started };
}

let knownOwn: ProcessIdentity | null | undefined;

/** Returns the identity of this process. */
export const ownIdentity = (): ProcessIdentity | null => (knownOwn ??= identityOf(process.pid));

/** Returns whether a process is known to have ended. */
export function isGone({ space, pid, started }: ProcessIdentity): boolean {
  if (space !== processSpace) return false;
  if (!isRunning(pid)) return true;
  const state = stateOf(pid);
  return state !== null && (state.started !== started || state.hasExited);
}

/**
 * Where the id of a process names one process only: on Linux a namespace of processes since the start of the machine, because pods
 * may share the name of their host; elsewhere the host.
 */
export const processSpace = ((): string => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
})();

interface ProcessState {
  readonly started: string;
  /** Whether it only waits for its parent to take notice of its end. */
  readonly hasExited: boolean;
}

function stateOf(pid: number): ProcessState | null {
  const text = readOrNull(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  // the name of the program, in parentheses, may contain anything
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, started] = [fields[0], fields[19]];
  return state === undefined || started === undefined ? null : { started, hasExited: state === 'Z' || state === 'X' };
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
