import { readInstance } from './instance-file.js';
import { addressOf } from './replica-set.js';

/** The address of the embedded server that runs on the data of a folder, started by another process; null where none does. */
export async function runningEmbedded(dataDir: string): Promise<string | null> {
  const instance = await readInstance(dataDir);
  return instance !== undefined && isRunning(instance.serverPid) ? addressOf(instance.port) : null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
