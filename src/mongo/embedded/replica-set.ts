import type { Document } from 'mongodb';

/** The connection string of the embedded server. */
export const addressOf = (port: number): string => `mongodb://127.0.0.1:${String(port)}/?replicaSet=rs0`;

/**
 * Makes the server on `port` a replica set of one at its present address: a new one if the data have none, and by a forced change
 * if they were served on another port before.
 */
export const formReplicaSet = async (port: number): Promise<void> => {
  // Loaded here only: it takes 0.1 s, in which the server starts.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(`mongodb://127.0.0.1:${String(port)}/?directConnection=true`, { maxPoolSize: 1 });
  try {
    const stored = await client.db('local').collection('system.replset').findOne({}, { readPreference: 'nearest' });
    const command = replicaSetCommand(stored, `127.0.0.1:${String(port)}`);
    if (command !== undefined) await client.db('admin').command(command);
  } finally {
    await client.close();
  }
};

const replicaSetCommand = (stored: Document | null, host: string): Document | undefined => {
  const members = [{ _id: 0, host }];
  if (stored === null) return { replSetInitiate: { _id: 'rs0', members } };
  const { version, members: storedMembers } = stored as unknown as { version: number; members: readonly { host: string }[] };
  if (storedMembers.length === 1 && storedMembers[0]?.host === host) return undefined;
  return { replSetReconfig: { ...stored, version: version + 1, members }, force: true };
};
