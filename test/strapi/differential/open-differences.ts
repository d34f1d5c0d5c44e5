import type { KnownDifference } from './known-differences.js';

const anything = /./;

/** Differences that are still to be mended. A row goes with its mend: the test names rows that no answer needs any more. */
export const openDifferences: readonly KnownDifference[] = [
  { reason: 'routes with auth: false have no ctx.state.auth', calls: ['context/state'], places: /^body\.value/ },
  { reason: 'strapi.db.transaction() without a function', calls: ['transactions/manual'], places: anything },
  {
    reason: 'parameters in lifecycle events: times in data, no select and populate that the caller did not pass, where as given',
    calls: [
      ...['Create', 'Update', 'Delete', 'CreateMany'].flatMap((kind) => [`lifecycles/before${kind}`, `lifecycles/after${kind}`]),
      'lifecycles/service-create',
      'lifecycles/service-update',
      'lifecycles/service-delete',
      'lifecycles/service-findMany',
      'lifecycles/service-count',
    ],
    places: /\.params\.|^body\.value\.\d+\.params$/,
  },
  {
    reason: 'results in lifecycle events hold what was selected',
    calls: ['lifecycles/service-findMany', 'lifecycles/service-findOne'],
    places: /\.result\./,
  },
];
