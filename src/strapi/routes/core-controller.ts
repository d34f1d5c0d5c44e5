import type { Context } from 'koa';
import type { ContentContext } from '#content/content-context.js';
import { acceptInput } from '#content/accept-write.js';
import { validationError } from '#base/errors.js';
import { entryType } from '#api/code/entity-service.js';
import { bindEntrySelection, bindPlan } from '#model/query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '#model/query/parse-query.js';
import type { Access } from '#model/query/access.js';
import { namedActions } from '#api/rest/content-routes.js';
import { type ActionInput, receiving } from '#api/rest/actions.js';
import { refusePreconditions } from '#http/preconditions.js';
import { readParameters } from '#http/query-string.js';
import type { RouteCall } from '#http/route.js';
import { isRead, noteAnswer } from '#http/tag-answers.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import type { Service } from '../services/core-service.js';
import { envelopeFlat, hideFrom } from '../content/flat-entries.js';
import { withVisiblePopulate } from '../content/visible-populate.js';
import type { CodeContext, CodeRequests } from './code-requests.js';
import { isMultipart, parseMultipartData } from './received-files.js';

/** A controller, by action. Actions of the project override those of `createCoreController`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- code of a project says itself what its actions return
export type Controller = Record<string, any>;

interface ControllerParts {
  readonly requests: CodeRequests;
  readonly service: (uid: string) => Service;
  /** Returns whether a method of a service is the generated one. */
  readonly isCore: (method: unknown) => boolean;
}

/** Methods of generated controllers that their actions call, and of generated services that others call. */
const helpers = ['validateQuery', 'sanitizeQuery', 'sanitizeInput', 'sanitizeOutput', 'transformResponse'] as const;

interface Generated extends Pick<ControllerParts, 'isCore'> {
  readonly controller: Controller;
  readonly service: Service;
}

/** Returns whether all that a generated action calls is generated: methods of its controller and of the service. */
export function callsGenerated({ controller, service, isCore }: Generated, action: string, { kind }: ContentType): boolean {
  const method = kind === 'singleType' && action === 'update' ? 'createOrUpdate' : action;
  return helpers.every((name) => isCore(controller[name])) && [method, 'getFetchParams'].every((name) => isCore(service[name]));
}

/** What an action calls to answer: the methods of its controller, which the project may override, and the service. */
interface Acting {
  readonly ctx: CodeContext;
  readonly self: Controller;
  readonly service: Service;
  readonly query: Values;
}

/**
 * Returns the controller that Strapi v4 generates for a content type. If all that an action calls is generated too, it answers by the
 * same code as REST. Otherwise it calls the service, and removes from the result what the caller may not see.
 */
export function createCoreController(uid: string, parts: ControllerParts): Controller {
  const isSingle = (): boolean => typeOf(uid, parts).kind === 'singleType';
  const action = (name: string, throughService: (acting: Acting) => Promise<unknown>) =>
    async function (this: Controller | undefined, ctx: CodeContext): Promise<unknown> {
      const service = parts.service(uid);
      const self = this ?? controller;
      const isGenerated = callsGenerated({ controller: self, service, isCore: parts.isCore }, name, typeOf(uid, parts));
      const call = parts.requests.callOf(ctx);
      if (isGenerated && call !== null) return runCoreAction(uid, name, ctx, parts);
      if (call !== null) beginService(koaContext(ctx), call);
      await self['validateQuery'](ctx);
      const query = (await self['sanitizeQuery'](ctx)) as Values; // the form of the method
      return parts.requests.acting(uid, ctx, () => throughService({ ctx, self, service, query }));
    };
  const controller: Controller = Object.assign(Object.create(sharedMethods(uid, parts)) as Controller, {
    find: action('find', async ({ ctx, self, service, query }) => {
      const found: unknown = await service['find'](query);
      if (isSingle()) return answer(found, ctx, self);
      const { results, pagination } = Object(found) as Values; // the result of a Strapi service
      return self['transformResponse'](await self['sanitizeOutput'](results, ctx), { pagination }) as unknown;
    }),
    findOne: action('findOne', async ({ ctx, self, service, query }) =>
      answer(await service['findOne'](idOf(ctx), query), ctx, self),
    ),
    create: action('create', async ({ ctx, self, service, query }) =>
      answer(await service['create']({ ...query, ...(await inputOf(ctx, self)) }), ctx, self),
    ),
    update: action('update', async ({ ctx, self, service, query }) => {
      const input = { ...query, ...(await inputOf(ctx, self)) };
      return answer(await (isSingle() ? service['createOrUpdate'](input) : service['update'](idOf(ctx), input)), ctx, self);
    }),
    delete: action('delete', async ({ ctx, self, service, query }) =>
      answer(await (isSingle() ? service['delete'](query) : service['delete'](idOf(ctx), query)), ctx, self),
    ),
  });
  return controller;
}

const answer = async (entry: unknown, ctx: CodeContext, self: Controller): Promise<unknown> =>
  self['transformResponse'](await self['sanitizeOutput'](entry, ctx)) as unknown;

/** Tags the answer to a read by a service of a project, which honours no preconditions of writes. */
function beginService(ctx: Context, { request }: RouteCall): void {
  if (isRead(ctx)) noteAnswer(ctx);
  else refusePreconditions(request.headers);
}

/** Returns the context of Koa. Code may pass copies, which have the same response. */
const koaContext = (ctx: CodeContext): Context => (ctx['response'] as Context['response']).ctx; // set by Koa

const idOf = (ctx: CodeContext): unknown => (Object(ctx['params']) as Values)['id'];

/** Returns the data of the body, and its files by attribute. Throws a ValidationError if there is no data. */
async function inputOf(ctx: CodeContext, self: Controller): Promise<Values> {
  const { body } = Object(ctx['request']) as Values;
  const { data, files } = isMultipart(ctx) ? parseMultipartData(ctx) : { data: isRecord(body) ? body['data'] : undefined };
  if (typeof data !== 'object' || data === null) throw validationError('Missing "data" payload in the request body');
  return { data: (await self['sanitizeInput'](data, ctx)) as unknown, ...(files !== undefined && { files }) };
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
  const action = namedActions(type)[name];
  const shown = action && (await receiving(action, { ...call, type, queries }, action.run));
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
    /**
     * Returns the query without relations that the caller may not find. Other names that the caller may not use are refused, because
     * dropping them could widen a filter.
     */
    sanitizeQuery: async (ctx: CodeContext): Promise<Values> => {
      const { bind } = requests.contentOf(ctx);
      const { access, type } = about(ctx);
      checkQuery(queryOf(ctx), type, requests.contentOf(ctx));
      return Promise.resolve(access === null ? queryOf(ctx) : withVisiblePopulate(queryOf(ctx), type, bind));
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
