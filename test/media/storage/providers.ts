import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PartialConfig } from '#settings/create-config.js';
import type { UploadProvider } from '#settings/upload-settings.js';
import { startS3 } from './start-s3.js';

type UploadConfig = NonNullable<Exclude<NonNullable<PartialConfig['plugins']>['upload'], boolean | undefined>['config']>;

/** A storage outside of the database. */
export interface OpenProvider {
  readonly config: UploadConfig;
  /** Files, or objects and parts of them. */
  readonly count: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}

/** Opens a storage of each provider. */
export const providers: Readonly<Record<UploadProvider, () => Promise<OpenProvider>>> = {
  gridfs: () =>
    Promise.resolve({ config: { provider: 'gridfs' }, count: () => Promise.resolve(0), close: () => Promise.resolve() }),
  disk: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mangrove-disk-'));
    const count = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
    return { config: { provider: 'disk', providerOptions: { folder } }, count, close: () => rm(folder, { recursive: true }) };
  },
  s3: async () => {
    const { options, count, stop } = await startS3();
    return { config: { provider: 's3', providerOptions: { ...options, prefix: 'media/' } }, count, close: stop };
  },
};
