import type { Context } from 'koa';
import { memoize } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { isSynced } from './sync-option.js';
import { isRead } from './tag-answers.js';

/**
 * Names the place of a write among all writes of the database in the headers of its answer, if something was written and the place is
 * known. Writes of one type are named if it is synced, others if any type is.
 */
export function namePosition(ctx: Context, type: ContentType | undefined, { store, bind }: ContentContext): void {
  const { position } = store.database.budget;
  if (position === null || isRead(ctx)) return;
  if (type === undefined ? hasSynced(bind.registry) : isSynced(type)) ctx.set('Sync-Position', String(position));
}

const hasSynced = memoize(({ types }: Registry): boolean => [...types.values()].some(isSynced));
