import type { ContentContext } from '#content/content-context.js';
import { unlimited } from '#base/limits/budget.js';
import { actionOf, type EntryWritten, type Subscriber } from '#store/changes/entry-events.js';
import { storedDraft } from '#store/form/draft.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { Database } from '#store/send/database.js';
import { beforeCommit } from '#store/send/transaction.js';
import { findFirst } from '#store/stored.js';
import { newestVersion, storeVersion, type Version } from './version-store.js';
import { optionOf } from '#model/schema/model-option.js';
import { historyOption } from './history-option.js';
import { targetsOf } from './version-targets.js';
import { readWholeEntry } from './whole-entry.js';

/**
 * Returns the subscriber that keeps a version for each write of an entry of a type with `options.history`. `content` returns a context
 * with all rights.
 */
export const keepingVersions = (content: () => ContentContext): Subscriber => ({
  subscribesTo: (kind, type) => kind !== 'any' && optionOf(type, historyOption) !== null,
  needsBefore: true,
  within: async (event, database) => {
    const free = { ...database, budget: unlimited }; // the request has not asked for these reads
    if (event.kind !== 'any') await keepVersion(event, { content: content(), database: free });
  },
});

interface Scope {
  readonly content: ContentContext;
  readonly database: Database;
}

/** Several writes of an entry in one transaction make one version, which has the links that are written last. */
async function keepVersion(event: EntryWritten, scope: Scope): Promise<void> {
  const { kind, type, id, before, document } = event;
  const { database } = scope;
  const owner = { uid: type.uid, id };
  const keep = async (action: Version['action'], stored: StoredDocument, version: number): Promise<void> => {
    const retention = optionOf(type, historyOption);
    if (retention === null) return;
    const entry = await readWholeEntry(type, stored, scope);
    const targets = targetsOf(entry, type, scope.content.bind.registry);
    const by = action === 'keep' ? null : event.by;
    await storeVersion(database, owner, { version, at: event.at, by, action, entry, targets }, retention);
  };
  if (kind === 'delete') {
    await keep('delete', document, (await newestVersion(database, owner)) + 1);
    return;
  }
  const about = `version of ${type.uid} ${String(id)}`;
  const isFirst = database.last?.has(about) !== true; // of the transaction
  if (isFirst && before !== undefined && (await newestVersion(database, owner)) === 0) await keep('keep', before, 1);
  await beforeCommit(database, about, async () => {
    const document = await findFirst(database, type.collection, { _id: id });
    if (document === null) return;
    const stored = kind === 'draft' ? storedDraft.inPlace(document) : document;
    const action = actionOf({ ...event, document: stored }, type); // of all writes of the transaction
    await keep(action, stored, (await newestVersion(database, owner)) + 1);
  });
}
