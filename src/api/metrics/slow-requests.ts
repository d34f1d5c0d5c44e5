import type { Feature } from '#http/feature.js';
import type { ObservationOf } from '#base/observe/observation.js';
import type { Consumer, Observer } from '#base/observe/observer.js';
import { slowSettings as settings } from './settings.js';

/** What a request has done so far. */
interface Work {
  readonly lists: Pick<ObservationOf<'page read'>, 'type' | 'way' | 'ms' | 'shape' | 'index'>[];
  readonly commands: Pick<ObservationOf<'command ended'>, 'command' | 'collection' | 'ms'>[];
}

/** Maximum number of requests whose work is noted, and of lists and commands of each. */
const most = { requests: 10_000, lists: 10, commands: 50 };

/** Notes the work of all requests, and reports those that take longer than some milliseconds. */
function watchSlow(limit: number, observer: Observer): Consumer {
  const underWay = new Map<string, Work>();
  const workOf = (requestId: string | null): Work | undefined => (requestId === null ? undefined : underWay.get(requestId));
  return {
    'request begun': ({ requestId }) => {
      if (underWay.size < most.requests) underWay.set(requestId, { lists: [], commands: [] });
    },
    'page read': ({ requestId, type, way, ms, shape, index }) => {
      const lists = workOf(requestId)?.lists;
      if (lists !== undefined && lists.length < most.lists) lists.push({ type, way, ms: Math.round(ms), shape, index });
    },
    'command ended': ({ requestId, command, collection, ms }) => {
      const commands = workOf(requestId)?.commands;
      if (commands !== undefined && commands.length < most.commands) commands.push({ command, collection, ms });
    },
    'request ended': ({ requestId, method, route, status, ms }) => {
      const { lists = [], commands = [] } = workOf(requestId) ?? {};
      underWay.delete(requestId);
      if (ms <= limit) return;
      const shown = lists.map(({ shape, index, ...list }) => ({ ...list, shape: shape(), index: index() }));
      observer.observe({ kind: 'request slow', requestId, method, route, status, ms, lists: shown, commands });
    },
  };
}

/** Reports requests that take longer than `server.slowRequest`. */
export const slowRequests: Feature = {
  name: 'slow requests',
  settings: { server: settings },
  observes: ({ server: { slowRequest } }, observer) =>
    slowRequest === 0 ? null : Promise.resolve(watchSlow(slowRequest, observer)),
};
