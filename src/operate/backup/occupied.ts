import type { Database } from '#store/send/database.js';
import { listBackedUp } from '../raw/backed-up.js';
import { mayBeContent } from '#store/send/own-collections.js';
import { findOccupied, hasContent } from '../transfer/occupied.js';

/** Throws an Error with a message for the user if somebody has stored content in a collection since the database was empty. */
export async function assertStillEmpty(database: Database, name: string): Promise<void> {
  if (mayBeContent(database.ownCollections, name) && (await hasContent(name, database)))
    throw new Error(
      `${name} has got content while the backup was restored, and is left as it is: empty it and run the same restore again, or discard the restore with npx mangrove import --abandon`,
    );
}

/** Throws an Error with a message for the user if a database has content. That of a new database, and models, do not count. */
export async function assertEmpty(database: Database): Promise<void> {
  const plans = await listBackedUp(database);
  const places = plans.flatMap(({ name }) => (mayBeContent(database.ownCollections, name) ? [{ collection: name }] : []));
  const occupied = await findOccupied(places, database);
  if (occupied.length === 0) return;
  const shown = occupied.slice(0, mostShown).map(({ collection }) => collection);
  const more = occupied.length > mostShown ? ', …' : '';
  throw new Error(
    `the database has content (${shown.join(', ')}${more}): nothing is restored; --conflict skip keeps what is stored, --conflict replace replaces it`,
  );
}

const mostShown = 10;
