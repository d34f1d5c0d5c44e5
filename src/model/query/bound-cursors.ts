import type { CursorDirection } from './ast.js';

/** A page by cursors. A limit of -1: all. */
export interface BoundCursors extends CursorDirection {
  readonly kind: 'cursor';
  readonly limit: number;
  /** The position of the cursor, once it was opened; null if there is no cursor. */
  readonly from: Position | null;
}

/** A place in a list: the values of the sort keys of an entry, apart from its id, and its id. */
export interface Position {
  readonly values: readonly unknown[];
  readonly id: number;
}
