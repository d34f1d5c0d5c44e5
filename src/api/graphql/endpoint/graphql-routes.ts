import type { Observer } from '#base/observe/observer.js';
import type { Context } from 'koa';
import { memoizePair } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import { ForbiddenError, refusedToken, unauthorizedError } from '#base/errors.js';
import { runWithKey } from '#http/idempotency/read-key.js';
import { answerOnce } from '#http/answer-once.js';
import { mediaOf } from '#http/running.js';
import type { Answer, ContextRoute, OpenRoute, PathSettings, RouteCall, Step } from '#http/route.js';
import { ignoringEnded } from '#http/steps/callers.js';
import { entryKey, wrongMethod } from '#http/steps/entry-key.js';
import { keyed } from '#http/steps/keyed.js';
import { noted } from '#http/steps/tagged.js';
import { Staging } from '#media/staging.js';
import { isRecord } from '#base/values.js';
import type { BindSettings } from '#model/query/bind-context.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { PageSettings } from '../selection/parse-list-arguments.js';
import { noteCaller } from '../../code/caller-state.js';
import { requireScope } from '../types/guard-fields.js';
import { firstQuery } from '../playground/first-query.js';
import { createPlayground, explainEndpoint } from '../playground/serve-playground.js';
import type { FieldRequirement } from '../types/schema-context.js';
import { createTracer } from '../tracer.js';
import { createFileCheck } from './accept-files.js';
import { needsTransaction } from './keyed-mutations.js';
import { answerOf, textResponse } from './read-parameters.js';
import type { CurrentSchema, SchemaSnapshot } from './current-schema.js';
import type { GraphqlSettings } from './graphql-settings.js';
import { createEndpoint, type Endpoint, handleRequest, operationsOf, type RequestState } from './operation-handler.js';
import { createLive } from './live-endpoint.js';
import { placeFiles } from './place-files.js';
import { refuseEndedField } from './refuse-ended.js';

/** The dependencies of the endpoint. */
export interface GraphqlParts {
  readonly settings: GraphqlSettings;
  readonly pathSettings: PathSettings;
  readonly schema: Pick<CurrentSchema, 'read'>;
  readonly observer: Observer;
}

/** Returns the routes of the GraphQL endpoint, and of the playground with its files. */
export function graphqlRoutes(parts: GraphqlParts): readonly (OpenRoute | ContextRoute)[] {
  const { settings, observer } = parts;
  const endpoint = createEndpoint(settings, observer);
  const live = settings.subscriptions ? createLive({ ...parts, endpoint, createState }) : null;
  const playground = settings.playground ? createPlayground(settings.endpoint) : null;
  const place = { path: settings.endpoint, settings: parts.pathSettings };
  return [
    ...(playground === null ? [] : [playground.assets]),
    { ...place, method: 'OPTIONS', action: null, handle: () => ({ status: 204 }) },
    {
      ...place,
      method: 'ALL',
      action: 'anybody',
      steps: [
        ignoringEnded,
        noted,
        keyed.mutations,
        entryKey.honouredInPosts,
        ...(settings.authErrors === 'graphql' ? [refusing] : []),
      ],
      page: { name: 'GraphQL', about: 'a playground with the schema' },
      handleContext: async (ctx, call) => {
        const { caller, request } = call;
        if (live !== null && call.upgrade !== undefined && (await live.isServed())) return live.answerSocket(ctx, call);
        // if the public has no rights at all, answers 401
        if (caller.kind === 'public' && caller.publicRoleIsEmpty && caller.access.entry === undefined)
          throw caller.ended === null ? unauthorizedError() : refusedToken(caller.ended);
        if (ctx.method === 'GET' && request.asksForPage) {
          if (playground !== null) return playground.page(firstQuery(await parts.schema.read()));
          // Browsers send this header when a user opens a page. Programs get the answer of Strapi v4.
          if (request.querystring === '' && request.headers['sec-fetch-dest'] === 'document') return explainEndpoint();
        }
        const answer = (): Promise<Answer> => answerOperations(ctx, call, parts, endpoint);
        return live === null ? answer() : live.answer(ctx, call, answer);
      },
    },
  ];
}

/** Answers a request for operations. Deletes files that no operation has used. */
async function answerOperations(
  ctx: Context,
  call: RouteCall,
  { settings, schema }: GraphqlParts,
  endpoint: Endpoint,
): Promise<Answer> {
  const snapshot = await schema.read();
  const forged = settings.preflightHeaders === null ? null : forgeryAnswer(ctx, settings.preflightHeaders);
  if (forged !== null) return forged;
  if (call.caller.access.entry !== undefined && call.request.readMultipart !== null) throw wrongMethod();
  const hasFiles = call.running.media !== null && call.request.readMultipart !== null;
  const staging = hasFiles ? new Staging(mediaOf(call.running, call.request), call.content.store.database.time) : null;
  const asked = { staging, isKeyed: false, snapshot, settings, ...call };
  try {
    const { body, digest } = await bodyOf(asked, endpoint);
    const handle = (): Promise<Answer> => handleRequest(ctx, body, createState(ctx, asked), endpoint);
    if (isCacheable(ctx, body, asked))
      return await answerOnce(ctx, call, ctx.method === 'GET' ? '' : JSON.stringify(body), handle);
    const state = createState(ctx, asked);
    if (call.once === undefined || !needsTransaction(operationsOf(ctx, body, state, endpoint), snapshot.schema))
      return await handleRequest(ctx, body, state, endpoint);
    const answer = (content: ContentContext): Promise<Answer> =>
      handleRequest(ctx, body, createState(ctx, { ...asked, content, isKeyed: true }), endpoint);
    return await runWithKey(call, answer, digest);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    call.running.explainRefusal(error, call.caller);
    return endpoint.forbid(error);
  } finally {
    await staging?.discard();
  }
}

interface OperationCall extends RouteCall, Pick<GraphqlContext, 'staging' | 'isKeyed'> {
  readonly snapshot: SchemaSnapshot;
  readonly settings: GraphqlSettings;
}

/** Returns whether an answer may be kept, if what is executed turns out to be a query. */
function isCacheable({ method }: Context, body: unknown, call: OperationCall): boolean {
  const { caller, content, running, staging, snapshot, once: key } = call;
  const { registry } = content.bind;
  const isWanted = running.answers.keepsBytes || running.config.api.rest.cacheTags;
  if (!isWanted || snapshot.registry !== registry) return false; // the latter while the schema is being replaced
  const isSingle = method === 'GET' || (method === 'POST' && isRecord(body));
  return isSingle && staging === null && key === undefined && !(caller.kind === 'public' && caller.ended !== null);
}

/** Returns the context of a request, with the registry of its schema and the page sizes of GraphQL. */
function createState(ctx: Context, call: OperationCall): RequestState {
  const { running, content, caller, staging, isKeyed, snapshot, settings } = call;
  const bind = { ...content.bind, registry: snapshot.registry, settings: bindSettings(settings.pages, running.config.api.rest) };
  const state = noteCaller(ctx.state, caller, snapshot.registry);
  return {
    schema: snapshot.schema,
    caller,
    config: running.config,
    createContext: (): GraphqlContext => ({
      caller,
      running,
      staging,
      content: { ...content, bind, createsDrafts: true },
      isKeyed,
      failures: new Map(),
      cacheHints: new Map(),
      tracer: settings.tracing ? createTracer() : null,
      koaContext: ctx,
      state,
    }),
  };
}

/** Returns the settings of bindings. The object is the same for all requests, because cached bindings compare it by identity. */
const bindSettings = memoizePair(
  ({ defaultLimit, maxLimit }: PageSettings, { strict }: Pick<BindSettings, 'strict'>): BindSettings => {
    return { defaultLimit, maxLimit, maxNested: maxLimit, withCount: true, strict, populateDeep: 0, roleUsers: true };
  },
);

interface OperationsBody {
  readonly body: unknown;
  /** The digest of a multipart body, if the request has an Idempotency-Key. */
  readonly digest: string | null;
}

/**
 * Returns the decoded JSON of the shared middleware, or the operations of a multipart body. Forms and plain text contain no
 * operations.
 */
async function bodyOf(call: OperationCall, endpoint: Endpoint): Promise<OperationsBody> {
  const { request, running, staging, caller, snapshot } = call;
  const { readMultipart } = request;
  if (running.media !== null && staging !== null && readMultipart !== null) {
    const checkField = (requirement: FieldRequirement): void => {
      if (caller.kind === 'public' && caller.ended !== null) refuseEndedField(caller.ended, requirement, running.config);
      requireScope(requirement.scope, caller);
    };
    const accept = createFileCheck({ schema: snapshot.schema, checkField, find: endpoint.findIn });
    const body = await readMultipart(staging, { ...running.media.settings, accept });
    return { body: placeFiles(body, running.config.middlewares.body.jsonDepth), digest: body.digest ?? null };
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  return { body: /\bjson\b/i.test(type) ? request.body : null, digest: null };
}

/** Answers a 401 in the form of GraphQL errors. */
const refusing: Step = {
  name: 'refusal',
  stage: 'caller',
  refuse: ({ status, name, message, details, headers }) => ({
    status,
    headers,
    body: { errors: [{ message, extensions: { error: { name, message, details }, code: 'UNAUTHENTICATED' } }] },
  }),
};

/** Content types that pages of other sites can send without a preflight request. */
const simpleTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

const message = (headers: readonly string[]): string =>
  'This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a `content-type` header ' +
  `(with a type that is not one of ${simpleTypes.join(', ')}) or provide a non-empty value for one of the following headers: ` +
  `${headers.join(', ')}\n`;

/**
 * Returns a refusal if a page of another site could have sent the request, because it has no preflighted content type and none of
 * the headers; null for other requests.
 */
function forgeryAnswer(ctx: Context, headers: readonly string[]): Answer | null {
  const type = ctx.get('content-type').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const preflighted = type !== '' && !simpleTypes.includes(type);
  const named = headers.some((header) => ctx.get(header) !== '');
  return preflighted || named ? null : answerOf(textResponse(400, message(headers)));
}
