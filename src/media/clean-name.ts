import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { applicationError } from '#base/errors.js';

/** Matches characters that have a meaning in file systems or headers, and names of devices. */
const reserved = /[<>:"/\\|?*\u0000-\u001f\u007f]|^\.{1,2}$|^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Matches invisible characters, and characters that change the direction of text. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u2028\u2029]/g;

const longestName = 200;

/** Matches half of a surrogate pair at the end of a truncated string. It would be stored as another character. */
const halfCharacter = /[\ud800-\udbff]$/;

/**
 * Returns the stored form of a file name: normalized, without invisible characters, of limited length. Throws an ApplicationError
 * for an invalid name.
 */
export function cleanName(name: string): string {
  const clean = name.normalize().replace(unseen, '').trim();
  if (clean === '' || reserved.test(clean)) throw applicationError('File name contains invalid characters');
  if (clean.length <= longestName) return clean;
  const extension = path.extname(clean).slice(0, 20);
  return `${clean.slice(0, longestName - extension.length).replace(halfCharacter, '')}${extension}`;
}

/** Returns a title of a file without invisible characters, of limited length; null if nothing is left. */
export function cleanTitle(title: string): string | null {
  const clean = title
    .normalize()
    .replace(unseen, '')
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return clean === '' ? null : clean.slice(0, longestName).replace(halfCharacter, '');
}

/** Returns a unique name to serve a file under, without extension: `Mangrove_roots_0a1b2c3d4e`. */
export async function hashName(name: string, extension: string): Promise<string> {
  const { default: slugify } = await import('@sindresorhus/slugify');
  const base = extension !== '' && name.endsWith(extension) ? name.slice(0, -extension.length) : name;
  const slug = slugify(base, { separator: '_', lowercase: false }).slice(0, 100);
  return `${slug === '' ? 'file' : slug}_${randomBytes(5).toString('hex')}`;
}
