import type { Operation } from '../http/operation.js';
import type { Row } from '../http/route.js';
import type { Components } from './components.js';

/** The method and path of a row. */
export interface RowAt {
  readonly method: string;
  /** A path such as `/api/articles/:id`. */
  readonly path: string;
  readonly row: Row;
}

/** Describes a row. Shared schemas are taken from the components of the document. */
export type DescribeRow = (components: Components) => Operation;

/** A row with its description. */
export interface DescribedRow extends RowAt {
  readonly describe: DescribeRow;
}

/** Returns the shape of a path, without the names of its parameters. */
export const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':');
