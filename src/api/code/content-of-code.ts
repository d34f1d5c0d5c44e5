import { memoize } from '#base/caches.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { type Connection, notRunning, type RunningService } from '#http/running.js';
import { forJob } from '#store/send/database.js';
import { type Access, fullAccess } from '#model/query/access.js';
import type { BindSettings, Limits } from '#model/query/bind-context.js';

/** Returns a context with all rights. */
export function contextOfCode({ config, source }: Pick<RunningService, 'config' | 'source'>): ContentContext {
  const context = createContext(config, source, codeAccess);
  const { settings, limits } = context.bind;
  return { ...context, bind: { ...context.bind, settings: codeSettings(settings), limits: limitsOfCode(limits) } };
}

/** Returns a context with all rights for the commands of a job. */
export function contextOfJob(job: string, running: Pick<RunningService, 'config' | 'source'>): ContentContext {
  const context = contextOfCode(running);
  return withDatabase(context, forJob(context.store.database, job));
}

/** Returns a function that creates such a context. It throws a 503 until the database has answered. */
export const contentOfCode = (connection: Connection) => (): ContentContext =>
  contextOfCode(connection.running ?? notRunning(notYet));

const notYet =
  'register() runs before there are content types and entries; reach for them in functions given to use(), or in resolvers';

/** The rights of project code: as in Strapi v4, it sees everything. */
export const codeAccess: Access = { ...fullAccess, seesPrivate: true };

/** Maximum number of keys of a sort in MongoDB. */
const mostSortKeys = 32;

/**
 * Returns the limits of project code. It is trusted, so that the limits of clients do not hold for it, but only bounds that a mistake,
 * such as an endless loop, exceeds.
 */
export const limitsOfCode = memoize((limits: Limits): Limits => ({
  ...limits,
  filterNodes: 100_000,
  listValues: 1_000_000,
  populateDepth: 30,
  populateRelations: 100_000,
  sortKeys: mostSortKeys,
  sortKeyLinks: 30,
}));

/** Returns the settings that reads by project code are bound with. Limits for clients do not apply to nested lists. */
const codeSettings = (settings: BindSettings): BindSettings => ({ ...settings, maxNested: null, roleUsers: true });

/** Returns the settings for reads by project code without limits for pages. */
export const unpagedSettings = (settings: BindSettings): BindSettings => ({
  ...codeSettings(settings),
  maxLimit: null,
  withCount: true,
});
