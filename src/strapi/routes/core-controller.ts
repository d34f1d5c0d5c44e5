import type { Context } from 'koa';
import type { ContentContext } from '../../content/content-context.js';
import { acceptInput } from '../../content/check-body.js';
import { validationError } from '../../errors.js';
import { entryType } from '../../code/entity-service.js';
import { bindEntrySelection, bindPlan } from '../../query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '../../query/parse-query.js';
import type { Access } from '../../query/access.js';
import { namedActions } from '../../rest/content-routes.js';
import type { ActionInput } from '../../rest/actions.js';
import { refusePreconditions } from '../../http/preconditions.js';
import { readParameters } from '../../http/query-string.js';
import type { RouteCall } from '../../http/route.js';
import { isRead, noteAnswer } from '../../http/tag-answers.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import type { Service } from '../services/core-service.js';
import { envelopeFlat, hideFrom } from '../content/flat-entries.js';
import type { CodeContext, CodeRequests } from './code-requests.js';

/** A controller, by action. Actions of the project override those of `createCoreController`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- code of a project says itself what its actions return
export type Controller = Record<string, any>;

interface ControllerParts {
  readonly requests: CodeRequests;
  readonly service: (uid: string) => Service;
  /** Returns whether a method of a service is the generated one. */
  readonly isCore: (method: unknown) => boolean;
}

/**
 * Returns the controller that Strapi v4 generates for a content type. If the service method is the generated one too, an action
 * answers by the same code as REST. Otherwise it calls the service, and removes from the result what the caller may not see.
 */
export function createCoreController(uid: string, parts: ControllerParts): Controller {
  const shared = sharedMethods(uid, parts);
  const action =
    (name: string, method: string, throughService: (ctx: CodeContext, service: Service, query: Values) => Promise<unknown>) =>
    async (ctx: CodeContext): Promise<unknown> => {
      const service = parts.service(uid);
      const asked = name === 'update' && isSingle() ? 'createOrUpdate' : method;
      if (parts.isCore(service[asked]) && parts.requests.callOf(ctx) !== null) return runCoreAction(uid, name, ctx, parts);
      const query = await shared.sanitizeQuery(ctx);
      const call = parts.requests.callOf(ctx);
      if (call !== null) beginService(koaContext(ctx), call);
      return parts.requests.acting(uid, ctx, () => throughService(ctx, service, query));
    };
  const answer = async (ctx: CodeContext, entry: unknown): Promise<unknown> =>
    shared.transformResponse(await shared.sanitizeOutput(entry, ctx));
  const input = async (ctx: CodeContext): Promise<Values> => shared.sanitizeInput(dataOf(ctx), ctx);
  const isSingle = (): boolean => typeOf(uid, parts).kind === 'singleType';
  const actions = {
    find: action('find', 'find', async (ctx, service, query) => {
      const found: unknown = await service['find'](query);
      if (isSingle()) return answer(ctx, found);
      const { results, pagination } = Object(found) as Values; // the result of a Strapi service
      return shared.transformResponse(await shared.sanitizeOutput(results, ctx), { pagination });
    }),
    findOne: action('findOne', 'findOne', async (ctx, service, query) => answer(ctx, await service['findOne'](idOf(ctx), query))),
    create: action('create', 'create', async (ctx, service, query) =>
      answer(ctx, await service['create']({ ...query, data: await input(ctx) })),
    ),
    update: action('update', 'update', async (ctx, service, query) => {
      const data = await input(ctx);
      if (isSingle()) return answer(ctx, await service['createOrUpdate']({ ...query, data }));
      return answer(ctx, await service['update'](idOf(ctx), { ...query, data }));
    }),
    delete: action('delete', 'delete', async (ctx, service, query) =>
      answer(ctx, await (isSingle() ? service['delete'](query) : service['delete'](idOf(ctx), query))),
    ),
  };
  return Object.assign(Object.create(shared) as object, actions);
}

/** Tags the answer to a read by a service of a project, which honours no preconditions of writes. */
function beginService(ctx: Context, { request }: RouteCall): void {
  if (isRead(ctx)) noteAnswer(ctx);
  else refusePreconditions(request.headers);
}

/** Returns the context of Koa. Code may pass copies, which have the same response. */
const koaContext = (ctx: CodeContext): Context => (ctx['response'] as Context['response']).ctx; // set by Koa

const idOf = (ctx: CodeContext): unknown => (Object(ctx['params']) as Values)['id'];

/** Returns `data` of the body. Throws a ValidationError if there is none. */
function dataOf(ctx: CodeContext): unknown {
  const { body } = Object(ctx['request']) as Values;
  const data = isRecord(body) ? body['data'] : undefined;
  if (typeof data !== 'object' || data === null) throw validationError('Missing "data" payload in the request body');
  return data;
}

const typeOf = (uid: string, { requests }: ControllerParts): ContentType =>
  entryType(uid, requests.contextFor(uid).bind.registry);

/** Answers as REST does, by the current query, parameters and body of the context, which code may have changed. */
async function runCoreAction(uid: string, name: string, ctx: CodeContext, { requests }: ControllerParts): Promise<unknown> {
  const call = requests.changedCallOf(ctx);
  if (call === null) return null;
  const type = entryType(uid, call.content.bind.registry);
  const { limits } = call.running.config.api;
  const queries: ActionInput['queries'] = {
    parse: (query) => parseQuery(readParameters(query, limits), limits),
    parseEntry: (query) => parseEntryQuery(readParameters(query, limits), limits),
  };
  const shown = await namedActions(type)[name]?.run({ ...call, type, queries });
  noteAnswer(koaContext(ctx), shown?.version);
  return shown?.body ?? null;
}

const queryOf = (ctx: CodeContext): Values => (isRecord(ctx['query']) ? ctx['query'] : {});

/** Returns the methods that all generated controllers offer to their actions. */
function sharedMethods(uid: string, parts: ControllerParts) {
  const { requests } = parts;
  const about = (ctx: CodeContext): { access: Access | null; type: ContentType; registry: Registry } => {
    const { access, registry } = requests.contentOf(ctx).bind;
    return { access: requests.callOf(ctx) === null ? null : access, registry, type: entryType(uid, registry) };
  };
  return {
    transformResponse: (data: unknown, meta: Values = {}): unknown => {
      const { registry } = requests.contextFor(uid).bind;
      return envelopeFlat(data, meta, { type: entryType(uid, registry), registry });
    },
    sanitizeOutput: async (data: unknown, ctx: CodeContext): Promise<unknown> => {
      const { access, type, registry } = about(ctx);
      return Promise.resolve(hideFrom(access, data, type, registry));
    },
    sanitizeInput: async (data: unknown, ctx: CodeContext): Promise<Values> =>
      Promise.resolve(acceptInput(about(ctx).type, data, requests.contentOf(ctx))),
    /** Returns the query. Names that the caller may not use are refused, because dropping them could widen a filter. */
    sanitizeQuery: async (ctx: CodeContext): Promise<Values> => {
      checkQuery(queryOf(ctx), about(ctx).type, requests.contentOf(ctx));
      return Promise.resolve(queryOf(ctx));
    },
    validateQuery: async (ctx: CodeContext): Promise<void> => {
      checkQuery(queryOf(ctx), about(ctx).type, requests.contentOf(ctx));
      return Promise.resolve();
    },
    validateInput: async (): Promise<void> => Promise.resolve(),
  };
}

/** Throws a ValidationError for names that the query may not use. */
export function checkQuery(query: Values, type: ContentType, { bind }: ContentContext): void {
  if (type.kind === 'singleType') bindEntrySelection(parseEntryQuery(query, bind.limits), type, bind);
  else bindPlan(parseQuery(query, bind.limits), type, bind);
}
