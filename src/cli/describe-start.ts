import { packageVersion } from '../package-root.js';
import type { MangroveServer } from '../server.js';

/** What to know of the database that is not in its address. */
export interface DatabaseNote {
  /** Null: not the embedded one. */
  readonly embedded: { readonly version: string; readonly directory: string } | null;
}

/** The lines that a start prints for people: what runs, where, on what data, and a request to try. */
export function describeStart(server: MangroveServer, { embedded }: DatabaseNote): string[] {
  const { config, backend, url } = server;
  const rest = config.api.rest.prefix;
  const types = [...(backend?.models.current().types.values() ?? [])].filter(({ uid }) => uid.startsWith('api::'));
  const sample = types.find(({ kind }) => kind === 'collectionType');
  const database = backend === null ? 'not reached yet' : backend.description;
  const names = types.map(({ singularName }) => singularName).join(', ');
  const none = backend === null ? 'read when the database answers' : 'none yet: npm run models -- add FILE';
  const { enabled, config: graphql } = config.plugins.graphql;
  return [
    `Mangrove ${packageVersion} (${config.environment})`,
    '',
    `  REST      ${url}${rest}`,
    ...(enabled ? [`  GraphQL   ${url}${graphql.endpoint}`] : []),
    `  Health    ${url}/_health`,
    `  Database  ${embedded === null ? database : `embedded MongoDB ${embedded.version}, data in ${embedded.directory}`}`,
    `  Models    ${names || none}`,
    '',
    ...(sample === undefined
      ? []
      : [`  Try       curl '${url}${rest}/${sample.pluralName}?pagination[pageSize]=2&populate=*' -g`, '']),
  ];
}
