import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.js';
import { ensureBlobIndexes } from '../mongo/stores/blob-store.js';
import type { Logger } from '../logger.js';
import { cacheUntilChanged, type ChangeBus } from '../mongo/changes.js';
import type { Database } from '../mongo/database.js';
import type { Store } from '../mongo/store.js';
import { collections } from '../schema/collections.js';
import { readImageChoices } from './image-choices.js';
import { createImageMaker } from './images/image-maker.js';
import type { Media } from './media.js';
import { createStorageOf } from './storage/storage-of.js';
import { sweep } from './retire-files.js';

/** The media library with its background work. */
export interface OpenMedia {
  readonly media: Media;
  /** Stops the background work, and resolves when it has ended. */
  close(): Promise<void>;
}

interface MediaInput {
  readonly config: Config;
  readonly store: Pick<Store, 'database' | 'changes'>;
  readonly logger: Logger;
}

/** Returns the media library without its background work. */
export function createMedia(config: Config, database: Database, changes: ChangeBus | null = null): Media {
  const settings = config.plugins.upload.config;
  const choices = () => readImageChoices(database);
  return {
    settings,
    database,
    owner: { host: hostname(), pid: process.pid, instance: randomUUID() },
    images: createImageMaker(settings),
    imageChoices: changes === null ? choices : cacheUntilChanged(changes, [collections.codeStore], choices),
    storageOf: createStorageOf({ settings, directory: config.directory, database }),
  };
}

/** Opens the media library. Deletes remains of crashes in the background, now and every few minutes. */
export async function openMedia({ config, store, logger }: MediaInput): Promise<OpenMedia> {
  const { database, changes } = store;
  const media = createMedia(config, database, changes);
  await ensureBlobIndexes(database);
  // Uploads have a time limit, but making the variants of many images may take longer.
  return { media, close: keepSweeping(media, 2 * config.server.uploadTimeout, logger) };
}

/** Milliseconds until the next sweep, `soon` after a failed deletion. */
const pauses = { usual: 300_000, soon: 3_000 };

/** Sweeps at intervals. Returns a function that stops this, and resolves when the current sweep has ended. */
function keepSweeping(media: Media, oldest: number, logger: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const sweepOnce = async (): Promise<void> => {
    const left = await sweepAndReport(media, oldest, logger);
    if (closed) return;
    timer = setTimeout(run, left > 0 ? pauses.soon : pauses.usual);
    timer.unref();
  };
  let running = sweepOnce();
  const run = (): void => {
    running = sweepOnce();
  };
  return () => {
    closed = true;
    clearTimeout(timer);
    return running;
  };
}

async function sweepAndReport(media: Media, oldest: number, logger: Logger): Promise<number> {
  try {
    const { deleted, left } = await sweep(media, oldest);
    if (deleted > 0 || left > 0) logger.warn({ deleted, left }, 'remains of interrupted uploads');
    return left;
  } catch (error) {
    logger.warn({ err: error }, 'remains of interrupted uploads could not be searched for');
    return 1;
  }
}
