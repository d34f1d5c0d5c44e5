import type { Readable } from 'node:stream';
import type * as S3 from '@aws-sdk/client-s3';
import { isRecord } from '#base/values.js';
import type { ByteRange, ByteSource, FileStorage } from './file-storage.js';

/** The bucket and the client. They are created at the first call, because the package is optional and takes 300 ms to load. */
interface Bucket {
  readonly client: S3.S3Client;
  readonly s3: typeof S3;
  readonly bucket: string;
}

/** An S3-compatible storage, which can list its objects. */
export interface ObjectStorage extends FileStorage {
  /** Returns the objects whose keys begin with a text. */
  list(start: string): Promise<readonly StoredObject[]>;
}

interface StoredObject {
  readonly key: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Returns an S3-compatible storage. The options are `bucket`, `prefix` (of the keys) and the options of the AWS client. Throws if
 * there is no bucket. Every call rejects if @aws-sdk/client-s3 is not installed.
 */
export function s3Storage({ bucket, prefix = '', ...options }: Readonly<Record<string, unknown>>): ObjectStorage {
  if (typeof bucket !== 'string' || typeof prefix !== 'string')
    throw new Error('plugins.upload.config.providerOptions needs a bucket for s3');
  let opening: Promise<Bucket> | undefined;
  const open = () => (opening ??= openBucket(bucket, options));
  return {
    write: async (key, source, mime) => writeObject(await open(), { Key: `${prefix}${key}`, ContentType: mime }, source),
    read: (key, range) => readObject(open, `${prefix}${key}`, range),
    sizeOf: async (key) => sizeOfObject(await open(), `${prefix}${key}`),
    remove: async (key) => removeObject(await open(), `${prefix}${key}`),
    list: async (start) => {
      const objects = await listObjects(await open(), `${prefix}${start}`);
      return objects.map(({ key, size }) => ({ key: key.slice(prefix.length), size }));
    },
  };
}

async function openBucket(bucket: string, options: Readonly<Record<string, unknown>>): Promise<Bucket> {
  const s3 = await import('@aws-sdk/client-s3').catch(() => {
    throw new Error('the storage s3 needs the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3');
  });
  // Only Amazon supports checksums in trailers. HTTPS and the signature protect the bytes without them.
  const rules: S3.S3ClientConfig = { requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' };
  return { s3, bucket, client: new s3.S3Client({ ...rules, ...options, ...ownCredentials(options) }) };
}

/** Copies the credentials, because the client modifies them, and those of the configuration are frozen. */
const ownCredentials = ({ credentials }: Readonly<Record<string, unknown>>): object =>
  isRecord(credentials) ? { credentials: { ...credentials } } : {};

interface NewObject {
  readonly Key: string;
  readonly ContentType: string;
}

/** Size of a part in bytes. Amazon requires at least 5 MB, and allows up to 10,000 parts. */
const partSize = 8_388_608;

/** Stores an object: in one request if it fits into one part, otherwise part by part, so that the length need not be known. */
async function writeObject(place: Bucket, object: NewObject, source: ByteSource): Promise<void> {
  const { client, s3, bucket } = place;
  const parts = inParts(source);
  const first = await parts.next();
  const second = first.done === true ? first : await parts.next();
  if (second.done === true) {
    await client.send(new s3.PutObjectCommand({ ...object, Bucket: bucket, Body: first.value ?? Buffer.alloc(0) }));
    return;
  }
  await writeParts(place, object, { first: [first.value ?? Buffer.alloc(0), second.value], rest: parts });
}

interface LargeContent {
  readonly first: readonly Buffer[];
  readonly rest: AsyncIterable<Buffer>;
}

/** Stores an object part by part. If that fails, deletes the parts, because those of an incomplete upload cost money. */
async function writeParts({ client, s3, bucket }: Bucket, object: NewObject, { first, rest }: LargeContent): Promise<void> {
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ ...object, Bucket: bucket }));
  const upload = { Bucket: bucket, Key: object.Key, UploadId };
  const parts: S3.CompletedPart[] = [];
  const send = async (Body: Buffer): Promise<void> => {
    const PartNumber = parts.length + 1;
    const { ETag } = await client.send(new s3.UploadPartCommand({ ...upload, PartNumber, Body }));
    parts.push({ PartNumber, ETag });
  };
  try {
    for (const part of first) await send(part);
    for await (const part of rest) await send(part);
    await client.send(new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  } catch (error) {
    await client.send(new s3.AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

async function* inParts(source: ByteSource): AsyncGenerator<Buffer, undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of source) {
    pieces.push(bytes);
    size += bytes.length;
    if (size < partSize) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(pieces);
}

async function* readObject(open: () => Promise<Bucket>, Key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  if (end <= start) return;
  const { client, s3, bucket } = await open();
  const Range = `bytes=${String(start)}-${String(end - 1)}`;
  const { Body, ContentRange } = await client.send(new s3.GetObjectCommand({ Bucket: bucket, Key, Range }));
  if (ContentRange === undefined && start > 0) throw new Error(`the storage returned all of ${Key} instead of ${Range}`);
  let left = end - start;
  for await (const bytes of Body as unknown as ByteSource) {
    // on Node it is a stream of Node
    yield bytes.subarray(0, left);
    left -= bytes.length;
    if (left <= 0) return;
  }
}

/** Returns the size of an object; null if there is none. Asks for a byte, because the reply to HEAD does not tell what is missing. */
async function sizeOfObject({ client, s3, bucket }: Bucket, Key: string): Promise<number | null> {
  try {
    const output = await client.send(new s3.GetObjectCommand({ Bucket: bucket, Key, Range: 'bytes=0-0' }));
    (output.Body as unknown as Readable).destroy(); // on Node it is a stream of Node
    return Number(output.ContentRange?.split('/').at(-1) ?? output.ContentLength);
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidRange') return 0;
    if (error instanceof Error && error.name === 'NoSuchKey') return null;
    throw error;
  }
}

/**
 * Deletes an object, and the parts of an upload that a crash interrupted, if the storage lists them and the credentials allow it.
 */
async function removeObject({ client, s3, bucket }: Bucket, Key: string): Promise<void> {
  await client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key }));
  const list = new s3.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: Key });
  const { Uploads = [] } = await client.send(list).catch(ignoreMissing);
  for (const upload of Uploads)
    if (upload.Key === Key)
      await client.send(new s3.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId: upload.UploadId }));
}

function ignoreMissing(error: unknown): { readonly Uploads?: readonly S3.MultipartUpload[] } {
  if (error instanceof Error && ['NotImplemented', 'AccessDenied'].includes(error.name)) return {};
  throw error;
}

async function listObjects({ client, s3, bucket }: Bucket, Prefix: string): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  for (let ContinuationToken: string | undefined, isFirst = true; isFirst || ContinuationToken !== undefined; isFirst = false) {
    const page = await client.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken }));
    for (const { Key: key = '', Size: size = 0 } of page.Contents ?? []) objects.push({ key, size });
    ContinuationToken = page.NextContinuationToken;
  }
  return objects;
}
