import { readAudience, type Audience } from '../auth/is-open.js';
import { typeActions } from '../auth/known-actions.js';
import { checkRight } from '../http/authorize.js';
import { envelopeError } from '../http/error-response.js';
import type { AnyRoute, LateRoute, RouteCall } from '../http/route.js';
import { countStored } from '../mongo/database.js';
import type { ContentType } from '../schema/content-type.js';
import { actionOf } from '../schema/names.js';
import { describeReport } from '../schema/report-models.js';

/** A content type, what it holds, and a request to it. */
export interface TypeOverview {
  readonly uid: string;
  readonly name: string;
  /** Path and query of the request. */
  readonly request: string;
  /** The answer to whoever asks for the page, as JSON; long ones are cut. Null: there are too many types to ask for each. */
  readonly answer: string | null;
  /** Documents of the collection: in all languages, with drafts. */
  readonly count: number;
  /** Names of the actions that the role `public` grants. */
  readonly publicActions: readonly string[];
}

/** What the service runs on, and what it serves. */
export interface Overview {
  readonly audience: Audience;
  readonly database: string;
  readonly types: readonly TypeOverview[];
  /** Types that are left out. */
  readonly more: number;
  /** What should be known before the service is open to others. */
  readonly warnings: readonly string[];
}

/** Types that are shown, and those with an answer: each costs two commands or more. */
const most = { types: 100, answers: 30, characters: 2_000 };

/** Reads what the page shows. `routes`: the rows that the answers come from. */
export async function readOverview(call: RouteCall, routes: readonly AnyRoute[]): Promise<Overview> {
  const { running, content } = call;
  const { backend } = running;
  const all = [...content.bind.registry.types.values()].filter(({ uid }) => uid.startsWith('api::'));
  const shown = all.slice(0, most.types);
  const audience = await readAudience(running);
  const types = await Promise.all(shown.map((type, index) => readType(type, { call, routes, isAsked: index < most.answers })));
  return {
    audience,
    database: backend.description,
    types,
    more: all.length - shown.length,
    warnings: warningsOf(call, audience),
  };
}

function warningsOf({ running: { config, backend, isEmbedded } }: RouteCall, audience: Audience): string[] {
  return [
    ...(audience === 'everybody' ? ['Everybody may change everything: api.open (MANGROVE_OPEN) is true.'] : []),
    ...(isEmbedded ? ['The database is the embedded one: a single node without password and backups.'] : []),
    ...(backend.store.database.isReplicated
      ? []
      : ['MongoDB is no replica set: there are no transactions and no change streams.']),
    ...config.warnings,
    ...backend.models.reports().flatMap((report) => describeReport(report) ?? []),
  ];
}

interface ReadInput {
  readonly call: RouteCall;
  readonly routes: readonly AnyRoute[];
  readonly isAsked: boolean;
}

async function readType(type: ContentType, { call, routes, isAsked }: ReadInput): Promise<TypeOverview> {
  const { running, content } = call;
  const { prefix } = running.config.api.rest;
  const isSingle = type.kind === 'singleType';
  const name = isSingle ? type.singularName : type.pluralName;
  const query = isSingle ? '' : 'pagination[pageSize]=1';
  const [count, roles, answer] = await Promise.all([
    countStored(type.collection, content.store.database),
    running.authenticator.roles(),
    isAsked ? readAnswer(name, query, { call, routes }) : null,
  ]);
  const granted = roles.byType.get('public')?.actions ?? new Set();
  return {
    uid: type.uid,
    name: type.displayName,
    request: `${prefix}/${name}${query === '' ? '' : `?${query}`}`,
    answer,
    count,
    publicActions: typeActions.filter((action) => granted.has(actionOf(type, action))),
  };
}

const isLate = (route: AnyRoute): route is LateRoute => 'find' in route;

/** What the content API answers to the request, be it an error. */
async function readAnswer(name: string, query: string, { call, routes }: Omit<ReadInput, 'isAsked'>): Promise<string | null> {
  const rows = routes.find((route) => isLate(route) && route.path.endsWith('/:name'));
  const row = rows !== undefined && isLate(rows) ? rows.find([name], call.running)?.get('GET') : undefined;
  if (row === undefined || row.action === null || !('handle' in row)) return null;
  const ask = async (action: string): Promise<unknown> => {
    checkRight(call.caller, action);
    return (await row.handle({ ...call, request: call.request.asking({}, query) })).body;
  };
  return written(await ask(row.action).catch(envelopeError));
}

function written(body: unknown): string {
  const text = JSON.stringify(body, null, 2);
  return text.length > most.characters ? `${text.slice(0, most.characters)}\n…` : text;
}
