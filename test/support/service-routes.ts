import type { Config } from '#settings/config.js';
import { features } from '#features.js';
import { createGraphql } from '#api/graphql/endpoint/create-graphql.js';
import { enabledFeatures, routesOf } from '#http/feature.js';
import type { AnyRoute } from '#http/route.js';
import { noObserver } from '#base/observe/observer.js';

/** Returns the route table of a service with GraphQL, without code of a project. */
export function serviceRoutes(config: Config): readonly AnyRoute[] {
  const { routes } = createGraphql({ config, observer: noObserver });
  const graphql = { name: 'graphql', routes: () => routes };
  return routesOf([graphql, ...enabledFeatures(features, config)], { config, projectCode: null });
}
