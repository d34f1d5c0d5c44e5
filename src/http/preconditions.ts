import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition } from '../content/meet-precondition.js';
import { badRequestError, preconditionRequired } from '../errors.js';

/** An entity tag of a header. */
interface Tag {
  readonly isWeak: boolean;
  /** The text between the quotes. */
  readonly text: string;
}

/** The tags that a header names; `any` for `*`. */
export type Tags = readonly Tag[] | 'any';

/** Matches one tag of a list, with the comma behind it. An element may be empty (RFC 9110, section 5.6.1). */
const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** Returns the tags of a header. Throws a BadRequestError that names the header if it has another form. */
export function readTags(name: string, header: string): Tags {
  if (header.trim() === '*') return 'any';
  const tags: Tag[] = [];
  element.lastIndex = 0;
  while (element.lastIndex < header.length) {
    const found = element.exec(header);
    if (found === null) break;
    const [, weak, text] = found;
    if (text !== undefined) tags.push({ isWeak: weak !== undefined, text });
    if (element.lastIndex >= header.length) return tags.length > 0 ? tags : malformed(name);
  }
  return malformed(name);
}

function malformed(name: string): never {
  throw badRequestError(`${name} must be * or a list of entity tags in double quotes`);
}

/** Returns whether a tag is among those of If-None-Match. Weak and strong tags count as equal. */
export const isAmong = (tag: string, tags: Tags): boolean =>
  tags === 'any' || tags.some(({ text }) => tag === `"${text}"` || tag === `W/"${text}"`);

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
  if (ifNoneMatch !== undefined && (mayCreate !== true || readTags('If-None-Match', ifNoneMatch) !== 'any'))
    throw badRequestError('If-None-Match is not supported by this request: only * is, when a single type is written');
  return {
    ...(ifMatch !== undefined && { expected: versionsIn(readTags('If-Match', ifMatch)) }),
    ...(ifNoneMatch !== undefined && { isNew: true as const }),
  };
}

/** Returns the versions of strong tags. Weak ones never match a stored entry, nor do tags of other forms. */
const versionsIn = (tags: Tags): NonNullable<Precondition['expected']> =>
  tags === 'any' ? tags : tags.flatMap(({ isWeak, text }) => (isWeak ? [] : (/^([^-]+)-/.exec(text)?.[1] ?? [])));

/** Throws a BadRequestError if a write that is not conditional has a precondition. */
export const refusePreconditions = (headers: IncomingHttpHeaders): void => void preconditionOf(headers, { changes: false });
