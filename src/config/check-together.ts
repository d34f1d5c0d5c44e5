import type { Config } from './config.js';

/** What no section can tell alone: settings that exclude each other. One line for each. */
export function checkTogether({ api, plugins, middlewares }: Config): readonly string[] {
  const { cors, body } = middlewares;
  const { rest } = api;
  const graphql = plugins.graphql.config.endpoint;
  return [
    ...(cors.credentials && [cors.origin].flat().includes('*')
      ? ['middlewares.cors.credentials needs a list of origins, not *']
      : []),
    ...(rest.maxLimit !== null && rest.defaultLimit > rest.maxLimit ? ['api.rest.defaultLimit is over api.rest.maxLimit'] : []),
    ...(graphql === rest.prefix ? ['plugins.graphql.config.endpoint is the same as api.rest.prefix'] : []),
    ...(body.jsonLimit > 16_777_216 ? ['middlewares.body.jsonLimit is over 16 MB, the largest document of MongoDB'] : []),
  ];
}
