import { type MongoClient, Timestamp } from 'mongodb';
import type { Database } from '../send/database.js';

/** How far the log of a replica set reaches back. */
export interface OplogFacts {
  readonly hours: number;
  /** Whether it has reached its size, so that its oldest entries are deleted. A log that has not still grows. */
  readonly isFull: boolean;
}

export const hasOplogOf = ({ isReplicated, isSharded }: Database): boolean => isReplicated && !isSharded;

/** The share of its size from which on a log counts as full. */
const fullFrom = 0.9;

/** Reads the first and the last entry of the log. Rejects if the user of the connection may not. */
export async function readOplog(client: MongoClient, maxTimeMS: number): Promise<OplogFacts | null> {
  const oplog = client.db('local').collection('oplog.rs');
  const end = async (order: 1 | -1): Promise<number | null> => {
    const [entry] = await oplog
      .find({}, { projection: { ts: 1 }, maxTimeMS })
      .sort({ $natural: order })
      .limit(1)
      .toArray();
    const time: unknown = entry?.['ts'];
    return time instanceof Timestamp ? time.getHighBits() : null;
  };
  const [first, last, [stats]] = await Promise.all([
    end(1),
    end(-1),
    oplog.aggregate([{ $collStats: { storageStats: {} } }], { maxTimeMS }).toArray(),
  ]);
  if (first === null || last === null) return null;
  const { size = 0, maxSize = Infinity } = (stats?.['storageStats'] ?? {}) as {
    readonly size?: number;
    readonly maxSize?: number;
  };
  return { hours: (last - first) / 3_600, isFull: size > fullFrom * maxSize };
}
