import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedDatabase, startEmbedded } from './start-embedded.js';

/** Starts a server for tests, tuned for speed, on any free port, with data that are deleted when it stops. */
export const startEphemeral = async (log: (line: string) => void): Promise<EmbeddedDatabase> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-'));
  const database = await startEmbedded({ dataDir, durability: 'none', log });
  const stop = async (): Promise<void> => {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...database, stop };
};
