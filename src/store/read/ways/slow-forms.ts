import type { Db } from 'mongodb';
import { BoundedCache, memoize } from '#base/caches.js';
import { factBounds, factLifetime } from '../collection-facts.js';

/** Forms of queries that took too long in some way, with the time until which they are not read so again. */
const formsOf = memoize<Db, BoundedCache<number>>(() => new BoundedCache(factBounds));

/** Returns whether queries of a form took too long lately. */
export const isSlow = (db: Db, form: string): boolean => (formsOf(db).get(form) ?? 0) > Date.now();

/** Notes that a query of a form took too long. It is forgotten after a while. */
export const noteSlow = (db: Db, form: string): void => formsOf(db).set(form, Date.now() + factLifetime, 0);
