import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAudience, type Audience } from '#content/rights/is-open.js';
import { coreActions } from '#content/rights/known-actions.js';
import type { Config } from '#settings/config.js';
import { checkRight } from '#http/authorize.js';
import { envelopeError } from '#http/error-response.js';
import type { RouteParts } from '#http/feature.js';
import type { ProjectRoute } from '#http/project-code.js';
import type { Row, RouteCall } from '#http/route.js';
import { countDocuments } from '#store/send/read-commands.js';
import type { ContentType } from '#model/schema/content-type.js';
import { actionOf } from '#model/query/access.js';
import type { RegistryBuild } from '#model/schema/build-registry.js';
import { describeReport } from '#model/schema/report-models.js';

/** A content type, its number of documents, and a request to it. */
export interface TypeOverview {
  readonly uid: string;
  readonly name: string;
  /** Path and query of the request; null if no route lists the type. */
  readonly request: string | null;
  /** The answer for the reader of the page, as JSON that is cut if it is long; null if it was not requested. */
  readonly answer: string | null;
  /** Number of documents in the collection, with drafts and all locales. */
  readonly count: number;
  /** Names of the actions that everybody may do, by the role `public` or a route of the project. */
  readonly publicActions: readonly string[];
}

/** The state of the service on the start page. */
export interface Overview {
  readonly audience: Audience;
  readonly database: string;
  readonly types: readonly TypeOverview[];
  /** Number of types that are not shown. */
  readonly more: number;
  /** Routes that code of the project handles: `GET /api/pages/:slug`. */
  readonly projectRoutes: readonly string[];
  /** A name that no model and no file of the working directory has, for an example. */
  readonly freeName: string;
  /** Problems to solve before the service is opened to others. */
  readonly warnings: readonly string[];
}

/** Maximum numbers of items. Each answer takes two commands or more. */
const max = { types: 100, answers: 30, characters: 2_000, routes: 100 };

/** The routes that answer requests for content: those of code of a project, then the table. */
type AnswerSource = Pick<RouteParts, 'projectCode' | 'table'>;

/** Reads the data of the page. */
export async function readOverview(call: RouteCall, source: AnswerSource): Promise<Overview> {
  const { running, content } = call;
  const { backend } = running;
  const all = [...content.bind.registry.types.values()].filter(({ uid }) => uid.startsWith('api::'));
  const listedTypes = all.slice(0, max.types);
  const audience = await readAudience(running);
  const types = await Promise.all(
    listedTypes.map((type, index) => readType(type, { call, source, isAsked: index < max.answers })),
  );
  return {
    audience,
    database: backend.description,
    types,
    more: all.length - listedTypes.length,
    projectRoutes: codeRoutes(source).slice(0, max.routes),
    freeName: freeNameFor(backend.models.inForce(), running.config),
    warnings: warningsOf(call, audience),
  };
}

/** Returns `recipe`, or `recipe-2` and so on if that is taken, also by a model with problems or by a file. */
function freeNameFor({ models, problems }: RegistryBuild, { directory }: Pick<Config, 'directory'>): string {
  const uids = [...models.keys(), ...problems.keys()];
  const names = [...models.values()].flatMap(({ info }) => [info?.singularName, info?.pluralName]);
  const taken = new Set([...uids.map((uid) => uid.split('.').at(-1)), ...names]);
  const isFree = (name: string): boolean =>
    !taken.has(name) && !taken.has(`${name}s`) && !existsSync(join(directory, `${name}.json`));
  for (let count = 1, name = 'recipe'; ; count += 1, name = `recipe-${String(count)}`) if (isFree(name)) return name;
}

function warningsOf({ running: { config, backend, isEmbedded } }: RouteCall, audience: Audience): string[] {
  return [
    ...(audience === 'everybody' ? ['Everybody may change everything: api.open (MANGROVE_OPEN) is true.'] : []),
    ...(isEmbedded ? ['The database is the embedded one: a single node without password and backups.'] : []),
    ...(backend.store.database.isReplicated
      ? []
      : ['MongoDB is not a replica set: there are no transactions and no change streams.']),
    ...config.warnings,
    ...backend.models.reports().flatMap((report) => describeReport(report) ?? []),
  ];
}

const codeRoutes = ({ projectCode }: AnswerSource): string[] =>
  (projectCode?.routes() ?? []).filter(({ isGenerated }) => !isGenerated).map(({ method, path }) => `${method} ${path}`);

interface ReadInput {
  readonly call: RouteCall;
  readonly source: AnswerSource;
  readonly isAsked: boolean;
}

async function readType(type: ContentType, { call, source, isAsked }: ReadInput): Promise<TypeOverview> {
  const { running, content } = call;
  const { prefix } = running.config.api.rest;
  const isSingle = type.kind === 'singleType';
  const name = isSingle ? type.singularName : type.pluralName;
  const query = isSingle ? '' : 'pagination[pageSize]=1';
  const row = findRow(name, `${prefix}/${name}`, { call, source });
  const [count, roles, answer] = await Promise.all([
    countDocuments(type.collection, content.store.database),
    running.authenticator.roles(),
    isAsked && row !== null ? readAnswer(row, query, call) : null,
  ]);
  const granted = roles.byType.get('public')?.actions ?? new Set();
  const isOpen = (action: string): boolean => granted.has(action) || opensTo(action, source);
  return {
    uid: type.uid,
    name: type.displayName,
    request: row === null ? null : `${prefix}/${name}${query === '' ? '' : `?${query}`}`,
    answer,
    count,
    publicActions: coreActions.filter((action) => isOpen(actionOf(type, action))),
  };
}

/** Returns whether a route of the project allows everybody to do an action. */
const opensTo = (action: string, { projectCode }: AnswerSource): boolean =>
  projectCode?.routes().some(({ handler, row }: ProjectRoute) => handler === action && row.action === 'anybody') ?? false;

/** Returns the row that handles a GET of a type by its name; null if there is none. */
function findRow(name: string, path: string, { call, source }: Omit<ReadInput, 'isAsked'>): Row | null {
  const match = source.projectCode?.find('GET', path) ?? null;
  if (match !== null) return match.rows?.get('GET') ?? match.rows?.get('ALL') ?? null;
  const root = `${call.running.config.api.rest.prefix}/:name`;
  const route = source.table().find((one) => one.path === root);
  return route !== undefined && 'find' in route ? (route.find([name], call.running)?.get('GET') ?? null) : null;
}

/**
 * Returns the answer of the content API to the request, which may be an error; null if code of the project would have to run for
 * it.
 */
async function readAnswer(row: Row, query: string, call: RouteCall): Promise<string | null> {
  if (row.action === null || !('handle' in row)) return null;
  const { action, handle } = row;
  const ask = async (): Promise<unknown> => {
    checkRight(call.caller, action);
    return (await handle({ ...call, request: call.request.with({}, { query }) })).body;
  };
  return written(await ask().catch(envelopeError));
}

function written(body: unknown): string {
  const text = JSON.stringify(body, null, 2);
  return text.length > max.characters ? `${text.slice(0, max.characters)}\n…` : text;
}
