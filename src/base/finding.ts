import { messageOf } from './errors.js';

/** What a check has found: nothing to change, something to consider, or something that must be changed before production. */
export type Finding =
  | { readonly state: 'ok'; readonly text: string; readonly remedy: null }
  | { readonly state: 'advice' | 'problem'; readonly text: string; readonly remedy: string }
  /** The check could not be made. */
  | { readonly state: 'unknown'; readonly text: string; readonly remedy: null };

export const ok = (text: string): Finding => ({ state: 'ok', text, remedy: null });
export const unknown = (text: string): Finding => ({ state: 'unknown', text, remedy: null });
export const advice = (text: string, remedy: string): Finding => ({ state: 'advice', text, remedy });
export const problem = (text: string, remedy: string): Finding => ({ state: 'problem', text, remedy });

/** Why a check was not made that needs the database. */
export const withoutDatabase = 'not checked, because it needs the database';

/** A finding, null for nothing to say, or several of them. */
export type CheckResult = Finding | null | readonly (Finding | null)[];

/** Returns up to three names, and how many others there are. */
export function nameSome(names: readonly string[]): string {
  const more = names.length - 3;
  return more > 0 ? `${names.slice(0, 3).join(', ')} and ${String(more)} more` : names.join(', ');
}

/** Returns the first line of the message of an error, without parts of an address that may be a password. */
export const firstLineOf = (error: unknown): string => {
  const [line = ''] = messageOf(error).split('\n');
  return line.replaceAll(/(:\/\/)[^/@\s]*@/g, '$1');
};
