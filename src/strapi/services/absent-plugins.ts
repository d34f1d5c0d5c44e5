import type { Notices } from '#base/notices.js';
import type { Service } from './core-service.js';

/** Returns the place where notices go. */
type OpenNotices = () => Notices;

/**
 * Returns the services of plugins that many projects call and whose work is not needed here: sentry without an address, rest-cache
 * with an empty cache. Calls have no effect, and the log says so once.
 */
export function absentPlugins(notices: OpenNotices): Readonly<Record<string, Readonly<Record<string, Service>>>> {
  const telling =
    (text: string) =>
    <Result>(result: Result) =>
    (): Result => {
      notices().logOnce(text);
      return result;
    };
  const sentry = telling("strapi.plugin('sentry') sends nothing: errors are in the log; call @sentry/node to send them");
  const cache = telling("strapi.plugin('rest-cache') caches nothing: the service has its own caches, which every write updates");
  const done = cache(Promise.resolve(undefined));
  return {
    sentry: { sentry: { init: sentry(undefined), getInstance: sentry(null), sendError: sentry(undefined) } },
    'rest-cache': {
      cacheStore: {
        ...{ ready: true, get: cache(Promise.resolve(null)), keys: cache(Promise.resolve([])) },
        ...{ set: done, del: done, reset: done, clearByUid: done, clearByRegexp: done },
      },
    },
  };
}
