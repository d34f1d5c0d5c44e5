import type { MongoClient, TopologyDescription, TopologyDescriptionChangedEvent } from 'mongodb';
import type { Logger } from '../logger.js';

/**
 * Logs when the service loses its connection to a MongoDB server that accepts writes, and when there is one again. Returns a function
 * that stops this.
 */
export function logAvailability(client: MongoClient, logger: Logger): () => void {
  let wasAvailable = true;
  const compare = ({ newDescription }: TopologyDescriptionChangedEvent): void => {
    const isAvailable = hasWritable(newDescription);
    if (isAvailable === wasAvailable) return;
    wasAvailable = isAvailable;
    if (isAvailable) logger.info({}, 'MongoDB is available again');
    else
      logger.warn(
        { err: errorOf(newDescription) },
        'MongoDB is not available: no server accepts writes, requests wait and are then answered by 503',
      );
  };
  client.on('topologyDescriptionChanged', compare);
  return () => client.off('topologyDescriptionChanged', compare);
}

const hasWritable = ({ servers }: TopologyDescription): boolean => [...servers.values()].some(({ isWritable }) => isWritable);

/** Returns the error of the first server that has one; null if the servers answer, as during an election. */
const errorOf = ({ servers }: TopologyDescription): Error | null =>
  [...servers.values()].find(({ error }) => error !== null)?.error ?? null;
