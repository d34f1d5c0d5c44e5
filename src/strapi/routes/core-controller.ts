import { AsyncLocalStorage } from 'node:async_hooks';
import type { LimitedRoute } from '../../limits/attempts.js';
import { ofUnknownClient, type ContentContext } from '../../content/content-context.js';
import { acceptInput } from '../../content/check-body.js';
import { validationError } from '../../errors.js';
import { entryType } from '../../code/entity-service.js';
import type { RouteCall } from '../../http/route.js';
import type { RouteRequest } from '../../http/route-request.js';
import { bindEntrySelection, bindPlan } from '../../query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '../../query/parse-query.js';
import type { Access } from '../../query/access.js';
import { namedActions } from '../../rest/content-routes.js';
import type { ActionInput } from '../../rest/actions.js';
import { readParameters } from '../../http/query-string.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import type { CodeTransactions } from '../content/code-transactions.js';
import type { Service } from '../services/core-service.js';
import { envelopeFlat, hideFrom } from '../content/flat-entries.js';

/* eslint-disable @typescript-eslint/no-explicit-any -- code of a project says itself what its context and actions hold */

/** Koa's context for code of a project. Code may also pass a copy with another query. */
export type CodeContext = Record<string, any>;

/** A controller, by action. Actions of the project override those of `createCoreController`. */
export type Controller = Record<string, any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

interface ActingCaller {
  readonly uid: string;
  readonly content: ContentContext;
}

/** The requests that are handled by code, by the state of their context. */
export class CodeRequests {
  readonly #calls = new WeakMap<object, RouteCall>();
  readonly #counted = new WeakMap<object, LimitedRoute>();
  readonly #acting = new AsyncLocalStorage<ActingCaller>();
  readonly #content: () => ContentContext;
  readonly #transactions: Pick<CodeTransactions, 'contextOf'>;

  /** `content` returns the context of code outside of a request. */
  constructor(content: () => ContentContext, transactions: Pick<CodeTransactions, 'contextOf'>) {
    this.#content = content;
    this.#transactions = transactions;
  }

  begin(ctx: CodeContext, call: RouteCall): void {
    const state = ctx['state'] as { readonly auth?: object }; // set by Koa
    this.#calls.set(state, call);
    if (state.auth !== undefined) this.#calls.set(state.auth, call);
  }

  /** Records the name under which the request was counted as an attempt; null if it was not counted. */
  noteCounted(ctx: CodeContext, limit: LimitedRoute | null): void {
    if (limit !== null) this.#counted.set(Object(ctx['state']) as object, limit);
  }

  wasCounted(ctx: CodeContext, limit: LimitedRoute): boolean {
    return this.#counted.get(Object(ctx['state']) as object) === limit;
  }

  /** Returns the request by `auth` of its state; null if there is none. */
  callOfAuth(auth: unknown): RouteCall | null {
    return typeof auth === 'object' && auth !== null ? (this.#calls.get(auth) ?? null) : null;
  }

  /** Returns the request of a context; null if it does not belong to a route of the project. */
  callOf(ctx: CodeContext): RouteCall | null {
    const state: unknown = ctx['state'];
    return typeof state === 'object' && state !== null ? (this.#calls.get(state) ?? null) : null;
  }

  /**
   * Returns the request of a context with the parameters, query and body that the context has now, which code may have changed;
   * null if it does not belong to a route of the project.
   */
  changedCallOf(ctx: CodeContext): RouteCall | null {
    const call = this.callOf(ctx);
    return call === null ? null : { ...call, content: this.contentOf(ctx), request: changedRequest(call.request, ctx) };
  }

  /** Returns the context of the caller, in the transaction of the code; outside of a request, that of an unknown client. */
  contentOf(ctx: CodeContext): ContentContext {
    const call = this.callOf(ctx);
    return call === null ? ofUnknownClient(this.#content()) : this.#transactions.contextOf(call.content);
  }

  /** Runs a function in which the core service of a content type has the rights of the caller. */
  acting<Result>(uid: string, ctx: CodeContext, work: () => Promise<Result>): Promise<Result> {
    return this.#acting.run({ uid, content: this.contentOf(ctx) }, work);
  }

  readonly contextFor = (uid: string): ContentContext => {
    const acting = this.#acting.getStore();
    return acting?.uid === uid ? this.#transactions.contextOf(acting.content) : this.#content();
  };
}

/** Returns a request as code has left it in Koa's context or in a copy of that. */
function changedRequest(request: RouteRequest, ctx: CodeContext): RouteRequest {
  const inner = Object(ctx['request']) as Values;
  const params = Object.entries(Object(ctx['params']) as Values).filter(([, value]) => value !== undefined);
  const copied = [ctx, inner].find((part) => Object.hasOwn(part, 'query'))?.['query'];
  return request.with(Object.fromEntries(params.map(([name, value]) => [name, String(value)])), {
    ...(isRecord(copied) && { query: copied }),
    body: inner['body'],
  });
}

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
  return namedActions(type)[name]?.run({ ...call, type, queries });
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
