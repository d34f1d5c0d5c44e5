import type { Notices } from '../../notices.js';
import type { Service } from './core-service.js';

/** Returns the place where notices go. */
type OpenNotices = () => Notices;

/**
 * Returns the services of plugins that many projects call and whose work is not needed here. Calls have no effect, and the log
 * says so once.
 */
export const absentPlugins = (notices: OpenNotices): Readonly<Record<string, Readonly<Record<string, Service>>>> => ({
  sentry: { sentry: sentryService(notices) },
  'rest-cache': { cacheStore: cacheService(notices) },
});

const tellSentry = (notices: OpenNotices): void => {
  notices().tell("strapi.plugin('sentry') sends nothing: errors are in the log; call @sentry/node to send them");
};

/** Returns the service of the plugin sentry, as it is without an address to send to. */
const sentryService = (notices: OpenNotices) => ({
  init: () => {
    tellSentry(notices);
  },
  getInstance: () => {
    tellSentry(notices);
    return null;
  },
  sendError: () => {
    tellSentry(notices);
  },
});

/** Returns the service of the plugin rest-cache, as it is with an empty cache. */
function cacheService(notices: OpenNotices): Service {
  const empty =
    <Result>(result: Result) =>
    (): Promise<Result> => {
      notices().tell("strapi.plugin('rest-cache') caches nothing: the service has its own caches, which every write updates");
      return Promise.resolve(result);
    };
  return {
    ready: true,
    get: empty(null),
    set: empty(undefined),
    del: empty(undefined),
    keys: empty([]),
    reset: empty(undefined),
    clearByUid: empty(undefined),
    clearByRegexp: empty(undefined),
  };
}
