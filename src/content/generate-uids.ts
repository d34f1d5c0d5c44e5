import { randomInt } from 'node:crypto';
import type { Match } from '#store/form/matches.js';
import { takenTexts } from '#store/stored.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { writePlan } from './build-write.js';
import type { ContentContext } from './content-context.js';

/** Returns values for the uids that the model generates and the data lacks; null if there are none. */
export async function generateUids(
  type: ContentType,
  data: Values,
  attempt: number,
  context: ContentContext,
): Promise<Values | null> {
  const missing = writePlan(type, context.bind.registry).generated.filter(({ name }) => data[name] === undefined);
  if (missing.length === 0) return null;
  const among = type.localized ? { locale: data['locale'] ?? context.bind.defaultLocale } : {};
  const uids: Record<string, string> = {};
  for (const attribute of missing) {
    const base = await madeUid(type, attribute, data);
    uids[attribute.name] = await freeFrom(base, { type, name: attribute.name, among, attempt }, context);
  }
  return uids;
}

/** Maximum length of a generated uid before its number. */
const longestUid = 250;

/** The number of the last attempt to store generated uids, from 0. It draws from a thousand numbers. */
export const lastAttempt = 5;

/** Returns how many numbers an attempt draws from. The range grows, so that concurrent creates do not collide again and again. */
const numbersToDraw = (attempt: number): number => 4 ** attempt;

/** Returns the uid that is made from its target attribute, which may be taken. */
export async function madeUid({ singularName }: ContentType, { targetField }: ScalarAttribute, data: Values): Promise<string> {
  const { default: slugify } = await import('@sindresorhus/slugify');
  const source = targetField === null ? undefined : data[targetField];
  const whole = slugify(typeof source === 'string' ? source : '') || singularName;
  return whole.slice(0, longestUid).replace(/-$/, '');
}

/** The place of a uid. */
interface UidPlace {
  readonly type: ContentType;
  /** The attribute. */
  readonly name: string;
  /** Matches the entries among which it must be unique. */
  readonly among: Match;
  readonly attempt: number;
}

/** Returns a uid. If it is taken, a free number is appended: the first one, and in later attempts a random one of the next. */
export async function freeFrom(
  base: string,
  { type, name, among, attempt }: UidPlace,
  { store }: ContentContext,
): Promise<string> {
  const taken = await takenTexts(type.collection, { field: name, text: base, among }, store.database);
  if (!taken.has(base)) return base;
  let toSkip = randomInt(numbersToDraw(attempt));
  for (let suffix = 1; ; suffix++) {
    const uid = `${base}-${String(suffix)}`;
    if (!taken.has(uid) && toSkip-- === 0) return uid;
  }
}
