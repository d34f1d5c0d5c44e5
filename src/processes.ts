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
