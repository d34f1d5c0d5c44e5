import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import type { Database } from '../mongo/database.js';
import { createImageMaker } from './images/image-maker.js';
import type { Media } from './media.js';
import { createStorageOf } from './storage/storage-of.js';
import { sweep } from './retire-files.js';

/** Returns the media library without its background work. */
export function createMedia(config: Config, database: Database): Media {
  const settings = config.plugins.upload.config;
  return {
    settings,
    database,
    owner: { host: hostname(), pid: process.pid, instance: randomUUID() },
    images: createImageMaker(settings),
    storageOf: createStorageOf({ settings, directory: config.directory, database }),
  };
}

/** Milliseconds until the next sweep, `soon` after a failed deletion. */
const pauses = { usual: 300_000, soon: 3_000 };

/**
 * Deletes remains of crashes in the background, now and every few minutes. Returns a function that stops this, and resolves when
 * the current sweep has ended.
 */
export function keepSweeping(media: Media, config: Config, logger: Logger): () => Promise<void> {
  // Uploads have a time limit, but making the variants of many images may take longer.
  const oldest = 2 * config.server.uploadTimeout;
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
