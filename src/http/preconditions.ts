import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition } from '#content/meet-precondition.js';
import { badRequestError, preconditionRequired } from '#base/errors.js';

/** The texts between the quotes of the tags that a header names, weak or strong; `any` for `*`. */
export type Tags = readonly string[] | 'any';

/** Matches one tag of a list, with the comma behind it. An element may be empty (RFC 9110, section 5.6.1). */
const element = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** Returns the tags of a header; null if it has another form. */
export function readTags(header: string): Tags | null {
  if (header.trim() === '*') return 'any';
  const tags: string[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < header.length) {
    const match = element.exec(header);
    if (match === null) break;
    const [, text] = match;
    if (text !== undefined) tags.push(text);
    if (element.lastIndex >= header.length) return tags.length > 0 ? tags : null;
  }
  return null;
}

/** Returns the tags of a header of a write. Throws a BadRequestError that names the header if it has another form. */
function demandedTags(name: string, header: string): Tags {
  const tags = readTags(header);
  if (tags === null) throw badRequestError(`${name} must be * or a list of entity tags in double quotes`);
  return tags;
}

/** Returns whether a tag is among those of If-None-Match. Weak and strong tags count as equal. */
export const isAmong = (tag: string, tags: Tags): boolean =>
  tags === 'any' || tags.some((text) => tag === `"${text}"` || tag === `W/"${text}"`);

/** Which conditions a write honours. */
interface Conditions {
  /** Whether it changes an entry, so that If-Match is honoured. */
  readonly changes: boolean;
  /** Whether it creates the entry if there is none, so that `If-None-Match: *` is honoured. */
  readonly mayCreate?: boolean;
  /** Whether a condition must be given. */
  readonly isRequired?: boolean;
}

/**
 * Returns what the headers of a write demand of the stored entry. Throws a BadRequestError for a header that the write cannot honour
 * or that has another form, and a PreconditionRequiredError if one is missing.
 */
export function preconditionOf(headers: IncomingHttpHeaders, { changes, mayCreate, isRequired }: Conditions): Precondition {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) {
    if (isRequired === true) throw preconditionRequired();
    return {};
  }
  if (ifMatch !== undefined && !changes) throw badRequestError('If-Match is not supported by this request');
  if (ifNoneMatch !== undefined && (mayCreate !== true || demandedTags('If-None-Match', ifNoneMatch) !== 'any'))
    throw badRequestError('If-None-Match is not supported by this request: only * is, when a single type is written');
  return {
    ...(ifMatch !== undefined && { expected: versionsIn(demandedTags('If-Match', ifMatch)) }),
    ...(ifNoneMatch !== undefined && { isNew: true as const }),
  };
}

/**
 * Returns the versions in tags; none for tags of other forms. A proxy that compresses an answer makes its tag weak, which changes nothing
 * about the version.
 */
const versionsIn = (tags: Tags): NonNullable<Precondition['expected']> =>
  tags === 'any' ? tags : tags.flatMap((text) => /^([^-]+)-/.exec(text)?.[1] ?? []);

/** Throws a BadRequestError if a write that is not conditional has a precondition. */
export const refusePreconditions = (headers: IncomingHttpHeaders): void => void preconditionOf(headers, { changes: false });
