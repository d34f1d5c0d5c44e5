import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import formidable from 'formidable';
import { GridFSBucket, type Db } from 'mongodb';
import { writeConcern } from './baseline-handler.js';
import { baselineBucket } from './media-file.js';
import { takeId } from './take-id.js';

/** The files of the baseline: GridFS as the driver has it. */
export interface BaselineFiles {
  /** Row m-upload: stores the bytes as they arrive, then the entry. Returns the answer. */
  readonly upload: (request: IncomingMessage) => Promise<unknown>;
  /** Row m-download: sends a file by its name. */
  readonly download: (name: string, response: ServerResponse) => Promise<void>;
}

export function openBaselineFiles(db: Db): BaselineFiles {
  const { w, j: journal } = writeConcern;
  const bucket = new GridFSBucket(db, { bucketName: baselineBucket, writeConcern: { w, journal } });
  return {
    upload: async (request) => {
      const files = await receiveFiles(request, bucket);
      return Promise.all(files.map((file) => insertFile(db, file)));
    },
    download: async (name, response) => {
      const source = bucket.openDownloadStreamByName(name);
      source.once('file', ({ _id, length, uploadDate }) => {
        response.writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-length': length,
          etag: `"${_id.toHexString()}"`,
          'last-modified': uploadDate.toUTCString(),
          'cache-control': 'public, max-age=31536000, immutable',
        });
      });
      await pipeline(source, response);
    },
  };
}

async function receiveFiles(request: IncomingMessage, bucket: GridFSBucket): Promise<readonly formidable.File[]> {
  const form = formidable({
    keepExtensions: true,
    filename: (name, ext) => `${name}_${randomBytes(5).toString('hex')}${ext}`,
    // Its types do not show what it always returns.
    fileWriteStreamHandler: (file) => bucket.openUploadStream((file as unknown as formidable.File).newFilename),
  });
  const [, { files = [] }] = await form.parse(request);
  return files;
}

async function insertFile(db: Db, { originalFilename, newFilename, mimetype, size }: formidable.File): Promise<unknown> {
  const now = new Date();
  const { name: hash, ext } = path.parse(newFilename);
  const texts = { name: originalFilename, alternativeText: null, caption: null, width: null, height: null, formats: null };
  const place = { hash, ext, mime: mimetype, size: Math.round(size / 10) / 100, url: `/uploads/${newFilename}` };
  const origin = { previewUrl: null, provider: 'local', provider_metadata: null };
  const values = { ...texts, ...place, ...origin, createdAt: now, updatedAt: now };
  const _id = await takeId(db, 'files');
  await db.command({ insert: 'files', documents: [{ _id, ...values, folder: 1, folderPath: '/1' }], writeConcern });
  return { id: _id, ...values };
}
