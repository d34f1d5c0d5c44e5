import type { GraphqlContext } from '../execute/graphql-context.js';
import type { UploadedFile } from '../../media/staging.js';

/** What an uploaded file is to be attached to, and its texts; as the fields `refId`, `ref`, `field` and `info` came. */
export interface UploadTarget {
  readonly refId: string | null;
  readonly ref: string | null;
  readonly field: string | null;
  readonly info: Readonly<Record<string, unknown>> | null;
}

/** The media library as GraphQL needs it (graphql.md 9). Files are given back by id and read again as far as they are selected. */
export interface UploadService {
  readonly upload: (files: readonly UploadedFile[], target: UploadTarget, context: GraphqlContext) => Promise<readonly number[]>;
  /** Throws a NotFoundError for an unknown id. */
  readonly updateFileInfo: (id: string, info: Readonly<Record<string, unknown>>, context: GraphqlContext) => Promise<number>;
  /** Throws a ValidationError for a row that claims the bytes of another file. */
  readonly checkNewRow: (row: Readonly<Record<string, unknown>>, context: GraphqlContext) => Promise<void>;
}
