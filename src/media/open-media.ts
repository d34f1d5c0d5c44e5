import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.js';
import { ensureBlobIndexes } from '../mongo/blob-store.js';
import type { Database } from '../mongo/database.js';
import type { Logger } from '../mongo/logger.js';
import { createImageMaker } from './image-maker.js';
import type { Media } from './media.js';
import { createStorageOf } from './storage-of.js';
import { sweep } from './sweep.js';

/** The media library with what it does on its own. */
export interface OpenMedia {
  readonly media: Media;
  close(): void;
}

export interface MediaInput {
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
}

/** Milliseconds between two sweeps. */
const sweepEvery = 300_000;

/** Opens the media library: indexes, then the remains of crashes are swept away, now and every few minutes. */
export async function openMedia({ config, database, logger }: MediaInput): Promise<OpenMedia> {
  const settings = config.plugins.upload.config;
  const media: Media = {
    settings,
    database,
    owner: { host: hostname(), pid: process.pid, instance: randomUUID() },
    images: createImageMaker(settings),
    storageOf: createStorageOf({ settings, directory: config.directory, database }),
  };
  // Receiving takes no longer than the limit; making the variants of many images may.
  const oldest = 2 * config.server.uploadTimeout;
  const sweepNow = async (): Promise<void> => {
    try {
      const count = await sweep(media, oldest);
      if (count > 0) logger.warn({ count }, 'remains of interrupted uploads were deleted');
    } catch (error) {
      logger.warn({ err: error }, 'remains of interrupted uploads could not be deleted, trying again later');
    }
  };
  await ensureBlobIndexes(database);
  await sweepNow();
  const timer = setInterval(() => void sweepNow(), sweepEvery);
  timer.unref();
  return {
    media,
    close: () => {
      clearInterval(timer);
    },
  };
}
