import type { Undone } from '../content/refuse-or-tell.js';
import type { ContentType } from '../schema/content-type.js';
import type { Linking, LinkTarget } from './link-files.js';

const remedy = 'the file is stored and linked to nothing; correct the client';

const undone = (path: readonly string[], message: string): Undone => ({ path, message, cause: `upload: ${message}`, remedy });

/** Names of clients are shortened in the log. */
const shorten = (name: string): string => JSON.stringify(name.slice(0, 60));

/** Returns the parameters that are missing, if some but not all of those are given that link a file. */
export function missingNames(names: Readonly<Record<string, boolean>>): readonly Undone[] {
  const missing = Object.keys(names).filter((name) => names[name] === false);
  if (missing.length === Object.keys(names).length) return [];
  return missing.map((name) => undone([name], `${name} is missing: ref, refId and field link a file together`));
}

/** Returns what the parameters of an upload ask for and do not get. */
export function unlinkedUpload(linking: Linking, { type, field }: LinkTarget): readonly Undone[] {
  if (linking === 'linked') return [];
  if (linking === 'noEntry') return [undone(['refId'], `refId names no entry of ${type.uid} that the caller may change`)];
  return [undone(['field'], `field ${shorten(field)} is not a media attribute of ${type.uid}`)];
}

/** Returns what a file in the body of an entry asks for and does not get: `path` are the names after `files`. */
export function unlinkedPart(linking: Linking, { uid }: ContentType, path: readonly string[]): readonly Undone[] {
  if (linking === 'linked') return [];
  const message = `files.${path.join('.')} is not a media attribute of the entry`;
  const name = path.filter((part) => !/^\d+$/.test(part)).join('.');
  return [
    {
      ...undone(['files', ...path], message),
      cause: `upload: ${shorten(`files.${name}`)} is not a media attribute of ${uid}, or not there`,
    },
  ];
}

/** Returns the fields of an upload whose files are not stored, because they have other names. */
export const otherFields = (names: readonly string[]): readonly Undone[] =>
  [...new Set(names)].map((name) => ({
    path: [name],
    message: `upload: the files in the field ${shorten(name)} are not stored`,
    remedy: 'files of an upload belong into the field "files"',
  }));
