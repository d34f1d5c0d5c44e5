import { collections } from '../../schema/collections.js';
import type { Registry } from '../../schema/content-type.js';
import type { Database } from '../send/database.js';
import { findStored, isStored } from '../stored.js';

/** Returns the collections with documents that were served once, and that no model has any more. */
export async function findLeftCollections(registry: Registry, database: Database): Promise<readonly string[]> {
  const served = new Set([...registry.types.values()].map(({ collection }) => collection));
  const recorded = await findStored(database, collections.servedCollections, { fields: ['_id'] });
  const left = recorded.map(({ _id }) => String(_id)).filter((name) => !served.has(name));
  const held = await Promise.all(left.map((name) => isStored(database, name)));
  return left.filter((_, index) => held[index]);
}
