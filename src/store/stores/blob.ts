/**
 * The record of the bytes of a file in the database. The documents have the form of GridFS (`uploads.files`), whether the bytes
 * are in GridFS or elsewhere, so that a file is published and deleted in a transaction.
 */
export interface StoredBlob {
  /** 24 hexadecimal digits. The key of the bytes in their storage, never used twice. */
  readonly id: string;
  /** The name in the URL: `roots_0a1b2c3d4e.png`. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly modifiedAt: Date;
  /** The storage that has the bytes. */
  readonly provider: string;
  /** The key of the bytes in the storage. */
  readonly key: string;
}

/** The process that writes a blob, by which a sweep recognizes the remains of a crash. */
export interface BlobOwner {
  readonly host: string;
  readonly pid: number;
  /** An id of the start of the process. */
  readonly instance: string;
}

/** A blob that is not published: being written, or being deleted. */
export interface PendingBlob extends Pick<StoredBlob, 'id' | 'provider' | 'key'> {
  readonly owner: BlobOwner;
  readonly since: Date;
  /** Whether its bytes are being deleted, so that it cannot be published any more. */
  readonly isEnding?: boolean;
}
