import type { Context, Middleware } from 'koa';
import { unauthorizedError } from '../../errors.js';
import type { Admitted } from '../../http/create-gate.js';
import { isMultipart, readMultipart, type MultipartBody } from '../../http/read-multipart.js';
import { Staging } from '../../media/staging.js';
import { createCostMeter } from '../limits/query-cost.js';
import { isGranted } from '../execute/guard-fields.js';
import type { Scope } from '../schema/scope.js';
import { callerState } from '../execute/caller-state.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import { createTracer } from '../tracing/tracer.js';
import { acceptFiles } from './accept-files.js';
import type { Answer } from './answer.js';
import type { SchemaSnapshot } from './current-schema.js';
import type { GraphqlSettings } from './graphql-settings.js';
import { handleRequest } from './handle-request.js';
import { createPlayground } from '../playground/serve-playground.js';
import { createOperationHandler, type Session } from './operation-handler.js';
import { placeFiles } from './place-files.js';
import { forgeryAnswer } from './prevent-forgery.js';

/** What the endpoint needs from the rest of the service. */
export interface GraphqlParts {
  readonly settings: GraphqlSettings;
  readonly schema: () => Promise<SchemaSnapshot>;
  /** Who sends a request, with the context of its operations. Throws an UnauthorizedError, which is answered as over REST. */
  readonly admit: (ctx: Context) => Promise<Admitted>;
  /** Takes errors that clients are told nothing about. */
  readonly report: (error: unknown) => void;
}

/** The GraphQL endpoint as a Koa middleware; requests to other paths go on. */
export function graphqlMiddleware(parts: GraphqlParts): Middleware {
  const { settings, report } = parts;
  const endpoint = { handle: createOperationHandler(settings, report), batch: settings.limits.batch };
  const playground = settings.playground ? createPlayground(settings.endpoint) : null;
  const paths = new Set([settings.endpoint, `${settings.endpoint}/`]);
  return async (ctx, next) => {
    if (playground?.isAsset(ctx) === true) return playground.sendAsset(ctx);
    if (!paths.has(ctx.path)) return next();
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      return;
    }
    const admitted = await parts.admit(ctx);
    // where nothing at all is granted to the public, it is asked for credentials (graphql.md 4.2)
    if (admitted.caller.kind === 'public' && admitted.caller.isShut) throw unauthorizedError();
    if (playground?.isPage(ctx) === true) {
      playground.sendPage(ctx);
      return;
    }
    const snapshot = await parts.schema();
    const forged = settings.preflightHeaders === null ? null : forgeryAnswer(ctx, settings.preflightHeaders);
    const { media } = admitted.running;
    const staging = media !== null && isMultipart(ctx) ? new Staging(media) : null;
    const sender = { ...admitted, staging };
    const session = createSession(ctx, sender, { snapshot, settings });
    try {
      send(ctx, forged ?? (await handleRequest(ctx, await bodyOf(ctx, sender, { snapshot, settings }), session, endpoint)));
    } finally {
      await staging?.discard();
    }
  };
}

/** Who sends a request, and the files that come with it. */
interface Sender extends Admitted {
  readonly staging: Staging | null;
}

interface SessionParts {
  readonly snapshot: SchemaSnapshot;
  readonly settings: GraphqlSettings;
}

/** Everything of one request goes by the registry that its schema was made from, and by the page sizes of GraphQL. */
function createSession(ctx: Context, sender: Sender, { snapshot, settings }: SessionParts): Session {
  const { running, content, caller, staging } = sender;
  const { pages, limits } = settings;
  const bound = {
    ...content.bind.settings,
    defaultLimit: pages.defaultLimit,
    maxLimit: pages.maxLimit,
    withCount: true,
    strict: false,
    roleUsers: true,
  };
  const bind = { ...content.bind, registry: snapshot.registry, settings: bound };
  const state = Object.assign(ctx.state, callerState(caller));
  const spend = createCostMeter(limits.cost);
  return {
    schema: snapshot.schema,
    createContext: (): GraphqlContext => ({
      access: bind.access,
      caller,
      running,
      staging,
      content: { ...content, bind, createsDrafts: true },
      pages,
      spend,
      failures: new Map(),
      tracer: settings.tracing ? createTracer() : null,
      koaContext: ctx,
      state,
    }),
  };
}

/** JSON that the shared middleware has decoded, or what a multipart body with files stands for; forms and text are no operations. */
async function bodyOf(ctx: Context, sender: Sender, { snapshot, settings }: SessionParts): Promise<unknown> {
  const { running, staging, caller } = sender;
  if (running.media !== null && staging !== null) {
    const accept = (fields: MultipartBody['fields']): void => {
      const granted = (scope: Scope): boolean => isGranted(scope, { access: caller.access, caller });
      acceptFiles(fields, { schema: snapshot.schema, isGranted: granted, tokens: settings.limits.tokens });
    };
    return placeFiles(await readMultipart(ctx, staging, { ...running.media.settings, accept }));
  }
  const [type = ''] = ctx.get('content-type').split(';', 1);
  return /\bjson\b/i.test(type) ? (ctx.request.body as unknown) : null;
}

function send(ctx: Context, { status, type, body, headers = {} }: Answer): void {
  ctx.status = status;
  ctx.set('Content-Type', type === 'application/json' ? type : `${type}; charset=utf-8`);
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
  ctx.body = body;
}
