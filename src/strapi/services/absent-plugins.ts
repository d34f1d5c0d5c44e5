import type { Notices } from '#base/notices.js';
import type { Service } from './core-service.js';
import { createKeptValues } from './kept-values.js';

/** Returns the place where notices go. */
type OpenNotices = () => Notices;

const cacheNotice =
  "strapi.plugin('rest-cache') has no answers: the service has its own caches, which every write updates; it keeps what code sets, in the memory of one process";

/**
 * Returns the services of plugins that many projects call and whose work is not needed here: sentry without an address, whose calls
 * have no effect, and rest-cache with the values of code alone. The log says so once.
 */
export function absentPlugins(notices: OpenNotices): Readonly<Record<string, Readonly<Record<string, Service>>>> {
  const sentry =
    <Result>(result: Result) =>
    (): Result => {
      notices().logOnce("strapi.plugin('sentry') sends nothing: errors are in the log; call @sentry/node to send them");
      return result;
    };
  return {
    sentry: { sentry: { init: sentry(undefined), getInstance: sentry(null), sendError: sentry(undefined) } },
    'rest-cache': { cacheStore: telling(createKeptValues(), () => notices().logOnce(cacheNotice)) },
  };
}

/** Returns a service whose methods call a function before. */
const telling = (service: Service, tell: () => void): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]: [string, unknown]) => {
      if (typeof member !== 'function') return [name, member];
      const call = (...input: unknown[]): unknown => {
        tell();
        return member(...input) as unknown;
      };
      return [name, call];
    }),
  );
