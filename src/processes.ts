/** A process of a machine. */
interface ProcessAddress {
  readonly host: string;
  readonly pid: number;
}

/** Whether a process of this machine runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether a process that left something behind has ended: it is of this machine, and does not run or had the number of this process. False
 * for other machines, of whose processes nothing is known. `self`: this process.
 */
export const hasEnded = ({ host, pid }: ProcessAddress, self: ProcessAddress): boolean =>
  host === self.host && (pid === self.pid || !isRunning(pid));
