import type { ContentType } from '#model/schema/content-type.js';
import { docs } from '#api/openapi/features.js';
import { hasPanel } from '#admin/front-end/panel-files.js';
import { commandLine } from '#base/command-line.js';
import { packageVersion } from '#base/package-root.js';
import type { Audience } from '#content/rights/is-open.js';
import type { EmbeddedDatabase } from '../embedded/start-embedded.js';
import type { Backend } from '#store/models/open-backend.js';
import type { Service } from '../service/service.js';

type EmbeddedServer = Pick<EmbeddedDatabase, 'version' | 'dataDir' | 'uri'>;

/** Values of the start message that do not come from the server. */
interface StartNotes {
  /** The clients that the service is open to; null if the database has not answered yet. */
  readonly audience: Audience | null;
  /** The embedded database; null if another one is used. */
  readonly embedded: EmbeddedServer | null;
}

/** Returns the lines about the database, with the URI of an embedded one, for other programs. */
function databaseLines(backend: Backend | null, embedded: EmbeddedServer | null): string[] {
  if (embedded === null) return [`  Database  ${backend === null ? 'not reached yet' : backend.description}`];
  return [`  Database  embedded MongoDB ${embedded.version}, data in ${embedded.dataDir}`, `            ${embedded.uri}`];
}

/** Returns the lines that say who has access to the service, and how to open it. `sample` is the uid of a type. */
const accessLines: Readonly<Record<Audience, (sample: string) => string[]>> = {
  everybody: () => ['  Access    open to everybody: api.open (MANGROVE_OPEN) is true'],
  local: () => ['  Access    open to this machine until there is a user or a grant'],
  nobody: (sample) => [
    '  Access    closed: everybody may do what their role grants, and nothing else',
    `            ${commandLine(`permissions grant public '${sample}.find'`)}`,
    '            MANGROVE_OPEN=true opens it to everybody',
  ],
};

/** Returns the line about content types that no path of REST serves. */
const unservedLines = (types: readonly ContentType[]): string[] =>
  types.length === 0
    ? []
    : [
        `  No REST   ${types.map(({ singularName }) => singularName).join(', ')}`,
        '            files in src/api/*/routes have no routes of these; createCoreRouter serves them',
      ];

/** Returns the lines of the start message: URLs, database, models, access, and a request to try. */
export function describeStart(server: Service, { embedded, audience }: StartNotes): string[] {
  const { config, backend, localUrl: url } = server;
  const rest = config.api.rest.prefix;
  const types = [...(backend?.models.snapshot.registry.types.values() ?? [])].filter(({ uid }) => uid.startsWith('api::'));
  const pathOf = ({ kind, singularName, pluralName }: ContentType): string =>
    `${rest}/${kind === 'singleType' ? singularName : pluralName}`;
  const isClosed = (path: string): boolean => server.findOwnRoute('GET', path)?.rows === null;
  const unserved = types.filter(
    (type) => isClosed(pathOf(type)) && (type.kind === 'singleType' || isClosed(`${pathOf(type)}/1`)),
  );
  const collections = types.filter(({ kind }) => kind === 'collectionType');
  const sample = collections.find(
    (type) => server.findOwnRoute('GET', pathOf(type))?.rows?.has('GET') ?? !isClosed(pathOf(type)),
  );
  const names = types.map(({ singularName }) => singularName).join(', ');
  const none = backend === null ? 'read when the database answers' : `none yet: ${commandLine('models add FILE')}`;
  const { enabled, config: graphql } = config.plugins.graphql;
  const { mcp } = config.api;
  return [
    `Mangrove ${packageVersion} (${config.environment})`,
    '',
    ...(server.url === url ? [] : [`  Public    ${server.url}`]),
    `  REST      ${url}${rest}`,
    ...(enabled ? [`  GraphQL   ${url}${graphql.endpoint}`] : []),
    ...(mcp.enabled ? [`  Agents    ${url}${mcp.path}`] : []),
    ...(docs.isEnabled?.(config) === true ? [`  Docs      ${url}/docs`] : []),
    ...(hasPanel(config) ? [`  Admin     ${server.adminUrl}${config.admin.url}`] : []),
    `  Health    ${url}/_health`,
    ...databaseLines(backend, embedded),
    `  Models    ${names || none}`,
    ...unservedLines(unserved),
    ...(audience === null ? [] : accessLines[audience]((sample ?? collections[0])?.uid ?? 'api::article.article')),
    '',
    ...(sample === undefined ? [] : [`  Try       curl '${url}${pathOf(sample)}?pagination[pageSize]=2&populate=*' -g`, '']),
  ];
}
