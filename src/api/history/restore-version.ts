import type { ContentContext } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { update } from '#content/update.js';
import { ApiError, notFoundError } from '#base/errors.js';
import type { Version } from './version-store.js';
import { emptyQuery } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { inputOf } from './version-input.js';

/** Runs a change in a transaction, which it may end by an error. */
type Commit = <Result>(change: (context: ContentContext) => Promise<Result>) => Promise<Result>;

interface Restoring {
  readonly commit: Commit;
  /** Returns whether an attribute may be written; all may by default. */
  readonly permits?: (name: string) => boolean;
  /** The state that the entry must have; any by default. */
  readonly expected?: EntryKey['expected'];
}

/**
 * Updates an entry to a version: its values, components, publication state, and links to entries that still exist. Of a type with drafts
 * beside published entries, it is the draft that is updated, and no entry is published or unpublished. Passwords stay. Values
 * that do not fit the model any more are converted if nothing is lost, and left out otherwise, as are unique values that others have now.
 * Attributes that may not be written are left out without being named.
 * Each attempt is a transaction of its own, because the server ends one in which a write is refused. Returns
 * the paths of what is left out because the model cannot take it any more. Throws a NotFoundError if there is no such entry any more,
 * and the errors of an update that concern no attribute.
 */
export async function restoreVersion(type: ContentType, version: Version, restoring: Restoring): Promise<readonly string[]> {
  const refused = new Set<string>();
  for (;;) {
    try {
      return await restoring.commit((context) => attempt(type, version, { ...restoring, context, refused }));
    } catch (error) {
      const names = refusedNames(error, type).filter((name) => !refused.has(name));
      if (names.length === 0) throw error;
      for (const name of names) refused.add(name);
    }
  }
}

interface Attempt extends Restoring {
  readonly context: ContentContext;
  /** The attributes that earlier attempts could not write. */
  readonly refused: ReadonlySet<string>;
}

async function attempt(type: ContentType, version: Version, { context, refused, ...rest }: Attempt): Promise<readonly string[]> {
  const { permits = () => true, expected } = rest;
  const { values, leftOut } = await inputOf(type, version, context);
  const isDraft = keepsDrafts(type);
  const status = isDraft ? ({ status: 'draft' } as const) : {};
  const isLeft = (name: string): boolean => refused.has(name) || !permits(name) || (isDraft && name === 'publishedAt');
  const data = Object.fromEntries(Object.entries(values).filter(([name]) => !isLeft(name)));
  const id = Number(version.entry['id']);
  const updated = await update({ type, id, ...status, ...(expected && { expected }) }, { data, query: emptyQuery }, context);
  if (updated === null) throw notFoundError('The entry was deleted');
  const named = [...refused].filter((name) => Object.hasOwn(values, name));
  return [...leftOut.filter((path) => !refused.has(rootOf(path))), ...named];
}

const rootOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? path;

/** Returns the attributes that an error is about. */
function refusedNames(error: unknown, { attributes }: ContentType): readonly string[] {
  if (!(error instanceof ApiError) || error.name !== 'ValidationError') return [];
  const errors: unknown = error.details?.['errors'];
  const paths = Array.isArray(errors) ? errors.map((one: { readonly path?: unknown }) => one.path) : [];
  const names = paths.flatMap((path) => (Array.isArray(path) && path.length > 0 ? [String(path[0])] : []));
  return [...new Set(names)].filter((name) => attributes.has(name));
}
