import { spawn } from 'node:child_process';

/**
 * Ends the process `pid` as soon as this one is gone, be it by kill -9: a small watcher reads from a pipe that this process
 * holds open, and the system closes it. Returns what calls the watcher off.
 */
export const endWithOwner = (pid: number): (() => void) => {
  const [command, ...args] = process.platform === 'win32' ? nodeWatcher : shellWatcher;
  const watcher = spawn(command, [...args, String(pid)], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a watcher the server outlives a kill -9 of this process, no more than that.
  watcher.on('error', () => undefined);
  watcher.unref();
  // A pipe to a child process is a socket, which may be left out of what keeps this process alive.
  if (watcher.stdin !== null && 'unref' in watcher.stdin) (watcher.stdin as { unref(): void }).unref();
  return () => void watcher.kill('SIGKILL');
};

/** A shell takes 1 MB, a second Node 40. */
const shellWatcher = ['/bin/sh', '-c', 'read -r nothing; kill "$0"'] as const;

const nodeWatcher = [
  process.execPath,
  '-e',
  'process.stdin.resume().on("close", () => process.kill(Number(process.argv[1])))',
] as const;
