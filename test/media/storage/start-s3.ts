import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** An S3-compatible server on this machine, and what a client needs to reach it. */
export interface S3Server {
  readonly options: Readonly<Record<string, unknown>> & { readonly bucket: string };
  /** Objects in it, and parts of uploads that were never completed. */
  readonly count: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

interface Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

type Constructor = new (options: object) => Server;

/** Starts s3rver, which has no types of its own. */
export async function startS3(): Promise<S3Server> {
  const S3rver = createRequire(import.meta.url)('s3rver') as Constructor;
  const directory = await mkdtemp(path.join(tmpdir(), 'mangrove-s3-'));
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'media' }] });
  const { port } = await server.run();
  return {
    options: {
      bucket: 'media',
      endpoint: `http://127.0.0.1:${String(port)}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    count: async () => {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile() && !/^_dummy|_metadata\.json$|\.md5$|^_cors|^_website/.test(entry.name))
        .length;
    },
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
