import type { ContentType } from '../schema/content-type.js';
import { servesDocs } from '../openapi/docs-routes.js';
import { hasPanel } from '../panel/front-end/panel-files.js';
import { commandLine } from '../command-line.js';
import { packageVersion } from '../package-root.js';
import type { Audience } from '../auth/is-open.js';
import type { Backend } from '../mongo/models/open-backend.js';
import type { Service } from '../service.js';

/** Values of the start message that do not come from the server. */
interface StartNotes {
  /** The clients that the service is open to; null if the database has not answered yet. */
  readonly audience: Audience | null;
  /** The embedded database; null if another one is used. */
  readonly embedded: EmbeddedNote | null;
}

interface EmbeddedNote {
  readonly version: string;
  readonly directory: string;
  readonly uri: string;
}

/** Returns the lines about the database, with the URI of an embedded one, for other programs. */
function databaseLines(backend: Backend | null, embedded: EmbeddedNote | null): string[] {
  if (embedded === null) return [`  Database  ${backend === null ? 'not reached yet' : backend.description}`];
  return [`  Database  embedded MongoDB ${embedded.version}, data in ${embedded.directory}`, `            ${embedded.uri}`];
}

/** Returns the lines that say who has access to the service, and how to open it. */
function accessLines(audience: Audience | null, sample: ContentType | undefined): string[] {
  switch (audience) {
    case null:
      return [];
    case 'everybody':
      return ['  Access    open to everybody: api.open (MANGROVE_OPEN) is true'];
    case 'local':
      return ['  Access    open to this machine until there is a user or a grant'];
    case 'nobody':
      return [
        '  Access    closed: everybody may do what their role grants, and nothing else',
        `            ${commandLine(`permissions grant public '${sample?.uid ?? 'api::article.article'}.find'`)}`,
        '            MANGROVE_OPEN=true opens it to everybody',
      ];
  }
}

/** Returns the lines of the start message: URLs, database, models, access, and a request to try. */
export function describeStart(server: Service, { embedded, audience }: StartNotes): string[] {
  const { config, backend, localUrl: url } = server;
  const rest = config.api.rest.prefix;
  const types = [...(backend?.models.snapshot.registry.types.values() ?? [])].filter(({ uid }) => uid.startsWith('api::'));
  const sample = types.find(({ kind }) => kind === 'collectionType');
  const names = types.map(({ singularName }) => singularName).join(', ');
  const none = backend === null ? 'read when the database answers' : `none yet: ${commandLine('models add FILE')}`;
  const { enabled, config: graphql } = config.plugins.graphql;
  return [
    `Mangrove ${packageVersion} (${config.environment})`,
    '',
    ...(server.url === url ? [] : [`  Public    ${server.url}`]),
    `  REST      ${url}${rest}`,
    ...(enabled ? [`  GraphQL   ${url}${graphql.endpoint}`] : []),
    ...(servesDocs(config) ? [`  Docs      ${url}/docs`] : []),
    ...(hasPanel(config) ? [`  Admin     ${url}${config.admin.url}`] : []),
    `  Health    ${url}/_health`,
    ...databaseLines(backend, embedded),
    `  Models    ${names || none}`,
    ...accessLines(audience, sample),
    '',
    ...(sample === undefined
      ? []
      : [`  Try       curl '${url}${rest}/${sample.pluralName}?pagination[pageSize]=2&populate=*' -g`, '']),
  ];
}
