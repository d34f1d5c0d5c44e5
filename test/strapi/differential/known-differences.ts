/** A difference between the answers of Strapi 4.26 and of Mangrove, and its reason. */
export interface KnownDifference {
  readonly reason: string;
  /** The names of the calls; all unless given. */
  readonly calls?: readonly string[];
  /** The parts of the answers that differ, such as `body.data.0.id`. */
  readonly places: RegExp;
}

const anything = /./;

/** Differences that docs/coming-from-strapi.md and docs/strapi-v4.md explain. */
export const knownDifferences: readonly KnownDifference[] = [
  { reason: 'entries in answers have a meta of their own', places: /^body\.(value\.)?data(\.\d+)?\.meta$/ },
  { reason: 'components are numbered in one sequence, in their order', places: /\b(seo|quotes?|quotes\.\d+|blocks\.\d+)\.id$/ },
  {
    reason: 'entries have their id even if select does not name it, and no values that only orderBy names',
    calls: [
      'query-engine/findOne-order',
      'query-engine/findOne-offset',
      'query-engine/findMany-populate-where',
      'query-engine/findMany-populate-limit',
      'query-engine/create-select',
      'query-engine/create-unknown-attribute',
      'query-engine/create-dates',
      'query-engine/update-null',
      'query-engine/load',
      'query-engine/populate',
      'lifecycles/afterFindOne',
    ],
    places: /\.(id|views)$/,
  },
  {
    reason: 'a filter that cannot be applied is refused, not dropped',
    calls: ['entity-service/findMany-unknown-filter', 'query-engine/findMany-where-undefined', 'utils/sanitize-query-private'],
    places: /^body\.value/,
  },
  {
    reason: 'a transaction calls the listeners of what has happened, not also those of what its code or its end asks for later',
    calls: ['transactions/rollback-caught', 'transactions/rollback-returns', 'transactions/commit-throws'],
    places: /^body\.value\.1\b/,
  },
  {
    reason: 'problems of relations name their attribute',
    calls: ['entity-service/create-missing-relation'],
    places: /\.details\.errors\.0\.path\.0$/,
  },
  {
    reason: 'the route of the files in public/ gives no parameter to other routes',
    calls: ['GET /api/configured/function'],
    places: /^body\.params\.0$/,
  },
  {
    reason: 'a path whose percent-encoding is no UTF-8 is refused',
    calls: ['GET /api/places/underscore/%E0%A4%A', 'GET /api/places/underscore/%'],
    places: anything,
  },
  {
    reason: 'a path without a route has no methods, not those of the files in public/',
    calls: ['OPTIONS /api/methods/nothing'],
    places: anything,
  },
  { reason: 'limit: 0 returns no entries', calls: ['query-engine/findMany-limit-zero'], places: /^body\.value$/ },
  { reason: 'an empty list may be created', calls: ['query-engine/createMany-empty'], places: /^body\.value$/ },
  {
    reason: 'sanitizeInput removes attributes that the model lacks',
    calls: ['utils/sanitize-input', 'utils/sanitize-input-components'],
    places: /\.(nothing|other)$/,
  },
  {
    reason: 'an update runs no lifecycles for the read before it, and load none',
    calls: ['lifecycles/service-update-reads', 'lifecycles/load'],
    places: /^body\.value\.\d+$/,
  },
  { reason: 'a write of a missing entry runs no lifecycles', calls: ['lifecycles/missing-entry'], places: /^body\.value\.0$/ },
  {
    reason: 'the id in event.params.where is a number',
    calls: ['PUT /api/events/1 {"data":{"title":"marked"}}'],
    places: /\.trail$/,
  },
  { reason: 'ctx.state has the requestId of the log', calls: ['context/state'], places: /^body\.value\.0\.[01]$/ },
  {
    reason: 'conditions in event.params.where name their operator',
    calls: ['lifecycles/service-findMany', 'lifecycles/service-count'],
    places: /\.params\.where\.count$/,
  },
  {
    reason: 'components in event.params.data are as they were passed, because they are stored in their entry',
    calls: ['lifecycles/service-create'],
    places: /\.params\.data\.quote\.(__pivot|text|id)$/,
  },
];
