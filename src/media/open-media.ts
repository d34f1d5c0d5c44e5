import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../config/config.js';
import type { Jobs } from '../jobs.js';
import { cacheUntilChanged, type ChangeBus } from '../mongo/changes/changes.js';
import { type Database, jobComment } from '../mongo/send/database.js';
import { collections } from '../schema/collections.js';
import { readImageChoices } from './image-choices.js';
import { createImageMaker } from './images/image-maker.js';
import { type Media, withCommandsOf } from './media.js';
import { createStorageOf } from './storage/storage-of.js';
import { sweep } from './retire-files.js';

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

/** Starts the job that deletes remains of crashes, now and every few minutes. */
export function keepSweeping(media: Media, config: Config, jobs: Jobs): void {
  // Uploads have a time limit, but making the variants of many images may take longer.
  const name = 'upload sweep';
  const oldest = 2 * config.server.uploadTimeout;
  const own = withCommandsOf(media, jobComment(name));
  jobs.start({
    name,
    every: sweepEvery,
    isEager: true,
    retry: sweepSoon,
    failure: 'remains of interrupted uploads could not be searched for',
    run: async () => {
      const { deleted, left } = await sweep(own, oldest);
      if (deleted > 0 || left > 0) jobs.observer.observe({ kind: 'uploads swept', deleted, left });
      return left > 0 ? sweepSoon : sweepEvery;
    },
  });
}

/** Milliseconds until the next sweep, and until the next one after a failed deletion. */
const sweepEvery = 300_000;
const sweepSoon = 3_000;
