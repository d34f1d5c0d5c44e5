import type { MongoClient, TopologyDescription, TopologyDescriptionChangedEvent } from 'mongodb';
import type { Observer } from '../../observe/observer.js';

/**
 * Reports when the service loses its connection to a MongoDB server that accepts writes, and when there is one again. Returns a function
 * that stops this.
 */
export function watchAvailability(client: MongoClient, observer: Observer): () => void {
  let wasAvailable = true;
  const compare = ({ newDescription }: TopologyDescriptionChangedEvent): void => {
    const isAvailable = hasWritable(newDescription);
    if (isAvailable === wasAvailable) return;
    wasAvailable = isAvailable;
    observer.observe(isAvailable ? { kind: 'database found' } : { kind: 'database lost', err: errorOf(newDescription) });
  };
  client.on('topologyDescriptionChanged', compare);
  return () => client.off('topologyDescriptionChanged', compare);
}

const hasWritable = ({ servers }: TopologyDescription): boolean => [...servers.values()].some(({ isWritable }) => isWritable);

/** Returns the error of the first server that has one; null if the servers answer, as during an election. */
const errorOf = ({ servers }: TopologyDescription): Error | null =>
  [...servers.values()].find(({ error }) => error !== null)?.error ?? null;
