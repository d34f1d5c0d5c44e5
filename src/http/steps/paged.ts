import { refuseCursors } from '#model/query/parse-cursors.js';
import { type QueryParameters, type QueryStringLimits, readParameters, refuseReservedParameters } from '../query-string.js';
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

interface Support {
  /** The reserved parameters that the handler reads. */
  readonly parameters: readonly string[];
  readonly cursors?: boolean;
}

/** Refuses parameters that only other rows of the service know, and cursors unless they are supported. */
export const supporting = ({ parameters, cursors = false }: Support): Step =>
  refusingBy((query, limits) => {
    refuseReservedParameters(query, parameters);
    if (!cursors && (typeof query !== 'string' || query.includes('pagination'))) refuseCursors(readParameters(query, limits));
  });

/** Refuses parameters that only other rows of the service know. */
export const unpaged = supporting({ parameters: [] });

/** Leaves all parameters to the handler, which refuses those that it does not know. */
export const ownParameters: Step = { name: 'parameters', stage: 'check' };
