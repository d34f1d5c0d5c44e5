import type { Document } from '../mongo/send/database.js';
import { findStored } from '../mongo/stored.js';
import { matchesAll, matchesAny, matchesNone, oneOf, startingWith } from '../mongo/form/matches.js';
import type { ContentType } from '../schema/content-type.js';
import { type LinkedFiles, splitPath } from '../schema/findings.js';
import type { ContentContext } from './content-context.js';
import type { Undone } from './refuse-or-tell.js';

/** The names of media types in `allowedTypes`, with the first part of their MIME types. All others are `files`. */
const families: Readonly<Record<string, string>> = { images: 'image', videos: 'video', audios: 'audio' };

const kindOf = (mime: string): string => Object.keys(families).find((name) => families[name] === mime.split('/')[0]) ?? 'files';

/** Returns a match for files that are of the types that their attributes allow. */
export function fittingFiles(files: readonly LinkedFiles[]): Document {
  const byTypes = new Map<string, { readonly types: readonly string[]; readonly ids: number[] }>();
  for (const { allowedTypes: types, ids } of files) {
    const known = byTypes.get(types.join()) ?? { types, ids: [] };
    byTypes.set(types.join(), known);
    for (const id of ids) known.ids.push(id);
  }
  return matchesAll(
    ...[...byTypes.values()].map(({ types, ids }) => matchesAny(matchesNone({ _id: oneOf(ids) }), ofTypes(types))),
  );
}

function ofTypes(types: readonly string[]): Document {
  const mimes = (names: readonly string[]): Document => ({
    mime: startingWith(...names.map((name) => `${String(families[name])}/`)),
  });
  const named = types.filter((name) => Object.hasOwn(families, name));
  return matchesAny(
    ...(named.length > 0 ? [mimes(named)] : []),
    ...(types.includes('files') ? [matchesNone(mimes(Object.keys(families)))] : []),
  );
}

/** Reads the MIME types of files, by id. Files that do not exist are missing. Sends one command. */
export async function readMimes(
  ids: readonly number[],
  { collection, filter = {} }: { readonly collection: string; readonly filter?: Document | undefined },
  { store }: Pick<ContentContext, 'store'>,
): Promise<ReadonlyMap<number, string>> {
  const match = matchesAll({ _id: oneOf(ids) }, filter);
  const rows = await findStored(store.database, collection, { match, fields: ['mime'] });
  return new Map(rows.map(({ _id, mime }) => [Number(_id), String(mime)]));
}

/**
 * Returns a part that is not carried out if a file at a path is not of an allowed type: Strapi v4 links it. An empty list allows
 * all types.
 */
export const unfitFiles = (
  { uid }: Pick<ContentType, 'uid'>,
  path: string,
  { mimes, allowedTypes }: { readonly mimes: readonly string[]; readonly allowedTypes: readonly string[] },
): readonly Undone[] =>
  allowedTypes.length === 0 || mimes.every((mime) => allowedTypes.includes(kindOf(mime)))
    ? []
    : [
        {
          path: splitPath(path),
          message: `${path} takes only ${allowedTypes.join(', ')}`,
          cause: `${path.replace(/\[\d+\]|\.\d+/g, '')} of ${uid} takes only ${allowedTypes.join(', ')}, and a file of another type was linked`,
          remedy: 'strict mode (api.rest.strict) refuses it',
        },
      ];
