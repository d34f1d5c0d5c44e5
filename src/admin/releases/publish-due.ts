import { withDatabase } from '#content/content-context.js';
import { isAfterWrite } from '#base/after-write.js';
import { ApiError } from '#base/errors.js';
import { contextOfJob } from '#api/code/content-of-code.js';
import type { RunningService } from '#http/running.js';
import { inTransaction } from '#store/send/transaction.js';
import { type Actor, inside, rightsOfEditor } from './actor.js';
import { awaitTypes, carryOut } from './carry-out.js';
import { errorsIn } from './problems.js';
import { listScheduled, noteFailure, type StoredRelease } from './release.js';
import { missingEditorProblem } from './show-release.js';

/** Most milliseconds until the next look, after which a release may have another time. */
const longestWait = 5_000;

/**
 * Carries out the releases whose time has come, with the rights of whoever has changed each one last. One that is refused stays open, with
 * the reasons, until it is changed. Returns the milliseconds until the next look; null if no release has a time. Rejects with errors other than refusals, after which it
 * is tried again.
 */
export async function publishDue(running: RunningService, ended: AbortSignal): Promise<number | null> {
  const { database } = running.backend.store;
  const releases = await listScheduled(database);
  const now = Date.now();
  const failures: unknown[] = [];
  for (const release of releases.filter(({ at }) => timeOf(at) <= now)) {
    if (ended.aborted) return 0;
    await publish(release, running, ended).catch((error: unknown) => failures.push(error)); // the others do not wait for it
  }
  if (failures.length > 0) throw failures[0];
  if (releases.length === 0) return null;
  const next = releases.find(({ at }) => timeOf(at) > now);
  return Math.min(Math.max(timeOf(next?.at ?? null) - Date.now(), 0), longestWait);
}

const timeOf = (at: Date | null): number => at?.getTime() ?? Number.POSITIVE_INFINITY;

async function publish(release: StoredRelease, running: RunningService, signal: AbortSignal): Promise<void> {
  const context = contextOfJob('release', running);
  const sender = { client: 'release', signal, caller: release.by } as const;
  const content = withDatabase(context, { ...context.store.database, sender });
  const editor = await rightsOfEditor(release.by, running, content);
  try {
    if (editor === null)
      throw new ApiError(403, 'ForbiddenError', missingEditorProblem.message, { details: { errors: [missingEditorProblem] } });
    const actor: Actor = { content, running, ...editor };
    await awaitTypes(release, actor);
    await inTransaction(content.store.database, (database) => carryOut(release, inside(actor, database)));
  } catch (error) {
    const isNoted = await tellFailure(release, error, running);
    if (!isNoted && isAfterWrite(Object(error) as object)) throw error; // the release was carried out
  }
}

/**
 * Stores why a release was refused. Returns false if it is no longer as it was, because it was carried out or somebody has changed it.
 * Throws errors that are no refusals.
 */
async function tellFailure(release: StoredRelease, error: unknown, running: RunningService): Promise<boolean> {
  const { store, jobs } = running.backend;
  const isOfCode = !(error instanceof ApiError);
  const errors = isOfCode ? [{ path: [], message: 'Code of the project has failed, see the log' }] : errorsIn(error);
  const problems = errors.map(({ path, message }) => ({ path, message }));
  if (!(await noteFailure(release, { at: new Date(), problems }, store.database))) return false;
  const { _id: id, name } = release;
  jobs.observer.observe({ kind: 'failed', work: 'release', err: error, about: { id, name } });
  return true;
}
