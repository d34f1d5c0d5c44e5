/** Milliseconds between two looks at the parent process. */
const interval = 250;

/** Returns whether a script of npm runs this program in the foreground, so that its shell lives as long as the program. */
export const isForegroundScript = (script: string): boolean => /\bmangrove\b/.test(script) && !/(^|[^&])&([^&]|$)/.test(script);

/**
 * Sends SIGTERM to this process when the shell that npm or npx started it in has ended. On a signal npm ends only that shell,
 * and the program would go on without it.
 */
export function endWithShell(): void {
  if (!isForegroundScript(process.env['npm_lifecycle_script'] ?? '')) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, interval).unref();
}
