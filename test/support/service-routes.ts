import type { Config } from '../../src/settings/config.js';
import { features } from '../../src/features.js';
import { createGraphql } from '../../src/api/graphql/endpoint/create-graphql.js';
import { enabledFeatures, routesOf } from '../../src/http/feature.js';
import type { AnyRoute } from '../../src/http/route.js';
import { noObserver } from '../../src/base/observe/observer.js';

/** Returns the route table of a service with GraphQL, without code of a project. */
export function serviceRoutes(config: Config): readonly AnyRoute[] {
  const { routes } = createGraphql({ config, observer: noObserver });
  const graphql = { name: 'graphql', routes: () => routes };
  return routesOf([graphql, ...enabledFeatures(features, config)], { config, projectCode: null });
}
