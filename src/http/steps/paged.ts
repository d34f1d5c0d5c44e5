import { refuseCursors } from '#model/query/parse-cursors.js';
import { type QueryParameters, type QueryStringLimits, readParameters, refuseReserved } from '../query-string.js';
import type { Step } from '../route.js';

/** Rows of code decide about their parameters themselves. */
const refusingBy = (refuse: (query: QueryParameters, limits: QueryStringLimits) => void): Step => ({
  name: 'parameters',
  stage: 'check',
  around: (rest, row) =>
    'handle' in row
      ? (call, ctx) => {
          refuse(call.request.query, call.running.config.api.limits);
          return rest(call, ctx);
        }
      : rest,
});

/** Refuses parameters that only other rows of the service know. */
export const unpaged = refusingBy((query, limits) => {
  refuseReserved(query);
  if (typeof query !== 'string' || query.includes('pagination')) refuseCursors(readParameters(query, limits));
});

/** Leaves all parameters to the handler, which refuses those that it does not know. */
export const ownParameters: Step = { name: 'parameters', stage: 'check' };

/** The same as `unpaged`, but leaves the parameters of cursors and facets to the handler. */
export const paged = refusingBy((query) => refuseReserved(query, 'facets'));
