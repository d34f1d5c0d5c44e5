import { createHash } from 'node:crypto';
import { validationError } from '#base/errors.js';
import { cursorPositions } from '#store/read/ways/page-of.js';
import type { PageEdges } from '#store/read/read-page.js';
import type { GivenCursor, Query } from '#model/query/ast.js';
import type { Position } from '#model/query/bound-cursors.js';
import { type Plan, scorePath, type SortKey } from '#model/query/plan.js';
import { isForeign } from '#model/schema/stored-values.js';
import { isRecord } from '#base/values.js';
import type { ContentContext, PendingRead } from './content-context.js';

/** The cursors of a page as it is answered. */
export interface PageCursors extends Pick<PageEdges, 'hasNext' | 'hasPrevious'> {
  /** The cursors of its first and last entry; null if it is empty. */
  readonly start: string | null;
  readonly end: string | null;
  /** Returns the cursor of an entry by its id; that of the last entry if code has added it. */
  readonly of: (id: unknown) => string | null;
}

/** The cursors of an empty list. */
export const noCursors: PageCursors = { start: null, end: null, hasNext: false, hasPrevious: false, of: () => null };

interface Sealing {
  /** What a cursor is valid for. */
  readonly scope: string;
  readonly context: Pick<ContentContext, 'cursors'>;
}

/** A list whose cursors are made or opened. */
interface CursorList extends Sealing {
  readonly plan: Plan;
  readonly context: ContentContext;
}

/** Returns what the cursors of a list are valid for: all that decides about its entries and their order, apart from rights. */
export const scopeOf = ({ query, plan }: PendingRead): string =>
  JSON.stringify([
    plan.type.uid,
    plan.sort.map(spellKey),
    query.filter,
    query.locale,
    stateOf({ query, plan }),
    query.search,
    ...(query.fallbackLocales === null ? [] : [query.fallbackLocales]), // cursors of other lists stay as they are
    ...(plan.foundEntries === undefined ? [] : [{ by: plan.foundEntries.by }]),
  ]);

/** Returns the publication state. That of GraphQL is PREVIEW for types without drafts, whose cursors would otherwise change. */
const stateOf = ({ query, plan }: Pick<PendingRead, 'query' | 'plan'>): Query['publicationState'] =>
  query.isForFields === true && !plan.type.draftAndPublish ? 'preview' : (query.publicationState ?? 'live');

const spellKey = ({ links, path, order, collation }: SortKey): string =>
  [...links.map((link) => link.path), path, order, ...(collation === undefined ? [] : [collation])].join(' ');

/** Returns the cursors of a page. Throws a ValidationError if they cannot hold a value that the list is sorted by. */
export function cursorsOf({ positions, hasNext, hasPrevious }: PageEdges, list: CursorList): PageCursors {
  const make = (position: Position | undefined): string | null => (position === undefined ? null : makeCursor(position, list));
  const end = make(positions.at(-1));
  const of = (id: unknown): string | null => make(positions.find((position) => position.id === id)) ?? end;
  return { start: make(positions[0]), end, hasNext, hasPrevious, of };
}

/** Maximum bytes of a position in a cursor. A cursor without the position is opened by reading its entry. */
const longestPosition = 4_000;

const marks = { whole: 0, digest: 1 } as const;

/** Returns the cursor of a position. */
export function makeCursor(position: Position, { scope, context }: Sealing): string {
  if (!position.values.every(isHeld))
    throw validationError('Invalid parameter sort: cursors cannot hold lists outside of JSON, or objects with numbers as names');
  const bytes = cursorPositions.encode(position);
  const isLong = bytes.length > longestPosition;
  const payload = isLong ? cursorPositions.encode({ id: position.id, values: [digestOf(bytes)] }) : bytes;
  return context.cursors.seal(Buffer.concat([Buffer.of(isLong ? marks.digest : marks.whole), payload]), scope);
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/**
 * Returns whether a cursor can hold a value. The database sorts a list that another program has stored for a text or number by its
 * items, and JavaScript moves numeric names forwards.
 */
const isHeld = (value: unknown): boolean => !Array.isArray(value) && (!isRecord(value) || hasPlainNames(value));

const hasPlainNames = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  isForeign(value) ||
  Object.entries(value).every(([name, inner]) => (Array.isArray(value) || !/^\d+$/.test(name)) && hasPlainNames(inner));

/** Returns the bytes of a cursor. Throws a ValidationError if it belongs to another list. */
export function unsealCursor({ text, parameter }: GivenCursor, { scope, context }: Sealing): Uint8Array {
  const bytes = context.cursors.open(text, scope);
  if (bytes === null) throw cursorPositions.foreign(parameter);
  return bytes;
}

/** Returns the position of a cursor. Throws a ValidationError if it belongs to another list, or can no longer be continued exactly. */
export async function openCursor(cursor: GivenCursor, { plan, scope, context }: CursorList): Promise<Position> {
  const { parameter } = cursor;
  const bytes = unsealCursor(cursor, { scope, context });
  const position = cursorPositions.decode(bytes.subarray(1));
  if (bytes[0] === marks.whole) return position;
  const now = await cursorPositions.find(plan, position.id, context.store.database);
  if (now !== null && digestOf(cursorPositions.encode(now)) === position.values[0]) return now;
  throw validationError(`Invalid parameter ${parameter}: its entry has changed, and its long values are not part of the cursor`);
}

/**
 * Returns a position in a list as it is now. In the order of what was found outside of the database, the place of an entry depends on the
 * others, so that the position is the present place of its entry, if that is still found.
 */
export function movedPosition(position: Position, { sort, foundEntries }: Plan): Position {
  const rank = foundEntries?.ids.indexOf(position.id) ?? -1;
  const key = sort.findIndex(({ path }) => path === scorePath);
  return rank === -1 || key === -1 ? position : { ...position, values: position.values.with(key, rank) };
}
