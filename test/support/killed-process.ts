import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identityOf, type ProcessIdentity } from '#base/processes.js';

/** Returns the identity of a process that was killed. */
export async function killedProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  const identity = identityOf(child.pid ?? 0);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  if (identity === null) throw new Error('the system tells no identities');
  return identity;
}
