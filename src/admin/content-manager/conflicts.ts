import type { EntryKey } from '#content/meet-precondition.js';
import { ApiError, applicationError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import { findFirst } from '#store/stored.js';
import { isRecord } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';

/** Returns the time at which a body says that its entry was last updated, when the form was opened; null if it says none. */
function openedAt(body: unknown): Date | null {
  const updatedAt = isRecord(body) ? body['updatedAt'] : undefined;
  const time = typeof updatedAt === 'string' ? new Date(updatedAt) : null;
  return time === null || Number.isNaN(time.getTime()) ? null : time;
}

/**
 * Writes an entry that must not have changed since the form was opened (`admin.conflicts`). Throws an ApplicationError that says when it
 * was changed, and which administrator has saved it last.
 */
export async function writeUnchanged<Result>(
  key: EntryKey,
  call: PanelCall,
  write: (key: EntryKey) => Promise<Result>,
): Promise<Result> {
  const updatedAt = call.running.config.admin.conflicts === 'last' ? null : openedAt(call.request.body);
  if (updatedAt === null) return write(key);
  return write({ ...key, expected: { updatedAt } }).catch(async (error: unknown) => {
    throw error instanceof ApiError && error.status === 412 ? await conflict(key, call) : error;
  });
}

async function conflict({ type, id }: EntryKey, { content, panel }: PanelCall): Promise<ApiError> {
  const stored = (await findFirst(content.store.database, type.collection, { _id: id })) ?? {};
  const { updatedAt, updatedBy } = storedDraft.inPlace(stored);
  const time = updatedAt instanceof Date ? updatedAt.toISOString() : null;
  const saver = typeof updatedBy === 'number' ? await panel.administrator(updatedBy) : null;
  const who = saver && { id: saver.id, firstname: saver.firstname, lastname: saver.lastname, username: saver.username };
  const name = [saver?.firstname, saver?.lastname].filter(Boolean).join(' ');
  const last = name === '' ? '' : `, and last saved in the panel by ${name}`;
  const message = `This entry was changed at ${String(time)}${last}. Open it again before you save.`;
  return applicationError(message, { updatedAt: time, updatedBy: who });
}
