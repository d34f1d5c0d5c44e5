import { ApiError, notFoundError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import type { Author } from '#store/changes/entry-events.js';
import type { Document } from '#store/send/database.js';
import { findFirst } from '#store/stored.js';
import { entryStore } from '#store/write/write-entries.js';
import { isRecord } from '#base/values.js';
import type { Workflow } from './workflow-option.js';

/** When an entry came into its stage, and who moved it there. */
interface Moved {
  readonly by: Author;
  readonly at: Date;
}

/** What is to be changed. Absent values stay. */
export interface StageInput {
  readonly stage?: string;
  /** The id of an administrator, or null. */
  readonly assignee?: number | null;
}

interface Moving {
  readonly workflow: Workflow;
  /** The stage that the caller has seen; any if absent. */
  readonly from?: string;
  /** Throws unless the caller may do it with the entry as it is stored. Runs in the transaction of the move. */
  readonly check: (stored: Document) => void;
}

/**
 * Moves an entry to a stage, or assigns it. Its time of update stays. Runs in the transaction of the context, if there is one. Throws a
 * NotFoundError, the errors of `check`, and a StageMoved if the entry is not in the stage that the caller has seen.
 */
export async function moveEntry(
  { type, id }: EntryKey,
  input: StageInput,
  { workflow, from, check }: Moving,
  { store }: ContentContext,
): Promise<void> {
  const { database } = store;
  const stored = await findFirst(database, type.collection, { _id: id });
  if (stored === null) throw notFoundError();
  if (from !== undefined && from !== workflow.stageOf(stored)) throw new StageMoved(workflow.stageOf(stored), movedOf(stored));
  check(stored);
  const isMoved = input.stage !== undefined && input.stage !== stored['stage'];
  const moved: Moved = { by: database.sender?.caller ?? null, at: new Date() };
  const written = await entryStore.update(store, type.collection, {
    match: { _id: id, stage: (stored['stage'] as unknown) ?? null },
    change: { set: { ...input, ...(isMoved && { _moved: moved }) } },
  });
  if (written !== null) return;
  const present = await findFirst(database, type.collection, { _id: id }); // another one on a standalone server
  throw present === null ? notFoundError() : new StageMoved(workflow.stageOf(present), movedOf(present));
}

/** A refused move of an entry that somebody has moved meanwhile. */
export class StageMoved extends ApiError {
  readonly stage: string;
  readonly moved: Moved | null;

  /** `who` is the name of who has moved it, if it is known. */
  constructor(stage: string, moved: Moved | null, who = '') {
    const [by, at] = [who === '' ? '' : ` by ${who}`, moved === null ? '' : ` at ${moved.at.toISOString()}`];
    super(409, 'ConflictError', `This entry was moved to the stage "${stage}"${by}${at}. Look at it again before you move it.`, {
      details: { stage, by: moved?.by ?? null, at: moved?.at.toISOString() ?? null },
    });
    this.moved = moved;
    this.stage = stage;
  }
}

/** Returns the last move of an entry; null if it was never moved. */
export function movedOf({ _moved: moved }: Document): Moved | null {
  return isRecord(moved) && moved['at'] instanceof Date ? (moved as unknown as Moved) : null; // written here
}
