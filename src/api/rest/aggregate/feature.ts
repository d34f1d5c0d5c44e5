import { memoize } from '#base/caches.js';
import { aggregate, type GroupPage } from '#content/aggregate.js';
import type { ContentContext } from '#content/content-context.js';
import type { Config } from '#settings/config.js';
import type { Feature } from '#http/feature.js';
import { readParameters, refuseOthers } from '#http/query-string.js';
import type { Answer, DynamicRoute, GuardedRow, RouteCall } from '#http/route.js';
import { admittingToExplain } from '#http/steps/callers.js';
import { ownParameters } from '#http/steps/paged.js';
import { tagged } from '#http/steps/tagged.js';
import { actionOf } from '#model/query/access.js';
import { isAggregated } from '#model/query/aggregate/aggregation.js';
import { aggregateParameters, parseAggregation } from '#model/query/aggregate/parse-aggregation.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type Json, showPagination } from '../envelope.js';
import { explainAnswer } from '../explain-answer.js';
import { asksToExplain } from '../read-query.js';
import { describeAggregate } from './describe-aggregate.js';
import { aggregateSettings } from './settings.js';

/** Answers numbers of entries, sums, averages and the like, by groups. */
export const aggregates: Feature = {
  name: 'aggregate',
  settings: aggregateSettings,
  typeActions: (type) => (isAggregated(type) ? ['aggregate'] : []),
  routes: ({ config }) => [aggregateRoute(config)],
};

function aggregateRoute({ api }: Config): DynamicRoute {
  const rowsOfType = memoize((type: ContentType) => new Map([['GET', aggregateRow(type)]]));
  return {
    path: `${api.rest.prefix}/:name/aggregate`,
    find: ([name = ''], { backend }) => {
      const type = backend.models.snapshot.registry.byPluralName.get(name);
      return type !== undefined && isAggregated(type) ? rowsOfType(type) : null;
    },
  };
}

/** Returns the row that answers the groups of a type. */
export const aggregateRow = memoize((type: ContentType): GuardedRow => ({
  action: actionOf(type, 'aggregate'),
  type,
  steps: [admittingToExplain, tagged(), ownParameters],
  operation: describeAggregate(type),
  handle: (call) => answerGroups(type, call),
}));

async function answerGroups(type: ContentType, call: RouteCall): Promise<Answer> {
  const { query } = call.request;
  const { running, content } = call;
  const { limits, aggregate: settings } = running.config.api;
  refuseOthers(query, [...aggregateParameters, 'format', 'explain']);
  const aggregation = parseAggregation(readParameters(query, limits), limits);
  const read = async (context: ContentContext): Promise<Json> =>
    envelopeGroups(await aggregate(type, aggregation, settings, context));
  return { body: await (asksToExplain(query) ? explainAnswer(call, read) : read(content)) };
}

const envelopeGroups = (page: GroupPage): Json => ({
  data: page.groups,
  meta: { pagination: showPagination({ entries: [], ...page }), ...(page.isTruncated && { truncated: true }) },
});
