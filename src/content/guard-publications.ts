import { validationError } from '#base/errors.js';
import type { EntryWritten, Subscriber } from '#store/changes/entry-events.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import { guardsPublication, publicationRefusal } from '#model/schema/model-option.js';

/**
 * Refuses publications that an option of the type refuses, whoever writes: inside the transaction of the write, by the entry as it is then.
 * Throws a ValidationError, which undoes the write.
 */
export const guardingPublications: Subscriber = {
  subscribesTo: (kind, type) => (kind === 'create' || kind === 'update') && guardsPublication(type),
  needsBefore: true,
  within: async (event, database) => {
    if (event.kind === 'any') throw validationError(`Too many entries of ${event.type.uid} are changed at once`);
    if (!publishes(event)) return;
    const refusal = publicationRefusal(event.type, event.document);
    if (refusal === null) return;
    if (database.session === null) await undo(event, database);
    throw validationError(refusal);
  },
};

/** Returns whether a write makes an entry published, or publishes it again at another time. */
function publishes({ before, document }: EntryWritten): boolean {
  const [was, is] = [before?.['publishedAt'], document['publishedAt']] as readonly unknown[];
  return is instanceof Date && !(was instanceof Date && was.getTime() === is.getTime());
}

/** Restores the values of an entry on a standalone server, which has no transactions. */
async function undo({ type, id: _id, before }: EntryWritten, database: Database): Promise<void> {
  const entries = ownRows(type.collection);
  if (before === undefined) await entries.remove(database, { _id });
  else
    await entries.change(
      database,
      { _id },
      { set: Object.fromEntries(Object.entries(before).filter(([name]) => name !== '_id')) },
    );
}
