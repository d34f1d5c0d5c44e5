import { resolve } from 'node:path';
import type { Context } from 'koa';
import type { NamedCode } from '#api/code/named-code.js';
import { sourceFile } from '#settings/find-source.js';
import { ForbiddenError, messageOf, missingActions, policyError, UnauthorizedError } from '#base/errors.js';
import { readQuery } from '#http/query-string.js';
import type { ContextRoute, RouteCall } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { limited, limitIn } from '#http/steps/counted.js';
import { entryKey } from '#http/steps/entry-key.js';
import type { ActionName } from '#model/query/access.js';
import { flattenAnswer } from '#api/rest/flatten-answer.js';
import { wantsFlat } from '#api/rest/read-query.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { CodeRegistry } from './code-registry.js';
import type { CodeContext, CodeRequests } from './code-requests.js';
import { codeSteps } from './code-steps.js';
import { defaultOf } from '../load/load-folders.js';
import { openFile } from './open-file.js';
import type { CodeHandler, CodeMiddleware, CodePolicy, MiddlewareItem, ResolvedRoute } from './strapi-route.js';
import { attemptLimit, handlerName, handlerParts, scopesOf } from './strapi-route.js';
import { infoOf, noteMatch, type CodeRouter } from './matched-route.js';
import { withBody } from './received-files.js';
import { UnsupportedCodeError } from '../load/unsupported-code.js';

export interface EndpointParts {
  readonly strapi: {
    readonly policies: NamedCode<unknown>;
    readonly middlewares: NamedCode<unknown>;
  };
  readonly registry: CodeRegistry;
  readonly requests: CodeRequests;
  /** Returns the exports of a file of the project. */
  readonly load: (file: string) => unknown;
  readonly directory: string;
  /** The content type of the controller. */
  readonly type?: ContentType | undefined;
  /** `ctx.router`. */
  readonly router: CodeRouter;
}

type Row = Pick<ContextRoute, 'action' | 'others' | 'steps' | 'handleContext'>;

type Run = (call: RouteCall) => Promise<void>;

/** Runs code for an administrator. The back end of the panel is loaded with the first request. */
const runAsAdministrator = async (ctx: Context, call: RouteCall, run: Run): Promise<void> =>
  (await import('../admin/identify-administrator.js')).runAsAdministrator(ctx, call, run);

const runAsSender = (_: Context, call: RouteCall, run: Run): Promise<void> => run(call);

/** Returns the row of a route of the project. Throws an Error if the route refers to code that does not exist. */
export function createRouteRow(resolved: ResolvedRoute, parts: EndpointParts): Row {
  const { config = {} } = resolved.route;
  const policies = (config.policies ?? []).map((item) => policyOf(item, resolved.owner, parts));
  const middlewares = middlewaresOf(config.middlewares ?? [], resolved.owner, parts);
  const inner = [...middlewares, answerReturned, ...handlersOf(resolved, parts)];
  const scopes = scopesOf(resolved) as readonly ActionName[] | null; // the project writes action names
  const [first, ...others] = scopes ?? [];
  const limit = limitOf(resolved);
  const runAs = resolved.isAdmin && config.auth !== false ? runAsAdministrator : runAsSender;
  return {
    action: scopes === null ? 'anybody' : (first ?? 'authenticated'),
    ...(others.length > 0 && { others }),
    steps: [
      entryKey.refusedInWrites,
      ...(resolved.requirements?.steps ?? []),
      ...(limit === undefined ? [] : [limit]),
      ...(scopes === null ? [unidentified] : []),
      ...codeSteps,
    ],
    handleContext: (ctx, routeCall) =>
      withBody(ctx, routeCall.running.config, async () => {
        await runAs(ctx, routeCall, async (call) => {
          beginCode(ctx, call, resolved, parts);
          parts.requests.noteCounted(ctx, limit?.limit);
          await refusingPlainly(async () => {
            for (const passes of policies) if (!(await passes(ctx))) throw policyError();
            await runAll(inner, ctx);
          });
          await openFile(ctx.body);
          flattenBody(ctx, call, parts.type);
        });
        return null;
      }),
  };
}

/** Runs code. Its refusals lose their texts and details, as in Strapi v4, whose check of rights surrounds the code of a route. */
async function refusingPlainly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof UnauthorizedError) throw new UnauthorizedError();
    throw error instanceof ForbiddenError ? missingActions(error.missing) : error;
  }
}

/** Flattens the entries of an answer if the request wants it. Never throws, because the action may have written. */
function flattenBody(ctx: Context, { content, running }: RouteCall, type: ContentType | undefined): void {
  if (type !== undefined && wantsFlat(readQuery(ctx.request) ?? ctx.querystring, running.config))
    ctx.body = flattenAnswer(ctx.body, { type, registry: content.bind.registry });
}

/**
 * Sets the returned value of a handler as the body, unless the handler has set one. Outer middlewares see the body and need not
 * return anything.
 */
const answerReturned: CodeHandler = async (ctx, next) => {
  const value = await next();
  if ((ctx.body === undefined || ctx.body === null) && value !== undefined && value !== null) ctx.body = value;
};

/** Returns the step that counts attempts; undefined if they are not counted. */
function limitOf(resolved: ResolvedRoute): ReturnType<typeof limitIn> {
  const { route, requirements, path } = resolved;
  const isLimited = route.config?.middlewares?.includes(attemptLimit) === true;
  return limitIn(requirements?.steps) ?? (isLimited ? limited(`code:${handlerName(resolved) ?? path}`) : undefined);
}

/** Adds to Koa's context what code of Strapi v4 expects. */
function beginCode(ctx: Context, call: RouteCall, { route, path, owner, isAdmin }: ResolvedRoute, parts: EndpointParts): void {
  const { caller, content, request } = call;
  const { registry } = content.bind;
  const noted = { path, params: request.params, route: { ...route, info: infoOf(owner, isAdmin) }, caller };
  noteMatch(ctx, noted, { router: parts.router, registry });
  parts.requests.begin(ctx, call);
}

/** Runs nested functions, each of which calls the next one. Returns the result of the first one. */
export function runAll(handlers: readonly CodeHandler[], ctx: Context, end?: () => Promise<unknown>): Promise<unknown> {
  const run = async (index: number): Promise<unknown> => {
    const handler = handlers[index];
    return handler === undefined ? end?.() : handler(ctx as CodeContext, () => run(index + 1)); // code sees it as any
  };
  return run(0);
}

function handlersOf(resolved: ResolvedRoute, { registry }: EndpointParts): readonly CodeHandler[] {
  const { handler } = resolved.route;
  const name = handlerName(resolved);
  if (typeof handler !== 'string' || name === null) return [handler].flat() as CodeHandler[]; // was checked with the route
  const { uid, action } = handlerParts(name);
  const controller = registry.get('controller', uid);
  const method: unknown = controller?.[action];
  if (controller === undefined || typeof method !== 'function') throw new UnsupportedCodeError(`handler not found "${handler}"`);
  return [(ctx, next) => (method as CodeHandler).call(controller, ctx, next)]; // actions take the context
}

/** What the context of a policy has of its own. */
const own: PropertyDescriptorMap = {
  type: { value: 'koa', writable: true, enumerable: true, configurable: true },
  is: { value: (type: string) => type === 'koa', writable: true, enumerable: true, configurable: true },
};

/** Returns a function that resolves to whether a request passes a policy. */
function policyOf(
  item: string | CodePolicy | { readonly name: string; readonly config?: unknown },
  owner: string | null,
  { strapi }: EndpointParts,
): (ctx: Context) => Promise<boolean> {
  const [given, config] = typeof item === 'object' ? [item.name, item.config] : [item, undefined];
  const code = typeof given === 'string' ? namedCode(given, owner, strapi.policies) : given;
  const policy = (typeof code === 'function' ? code : Reflect.get(Object(code) as object, 'handler')) as CodePolicy; // the form of a policy
  if (typeof policy !== 'function') throw new Error(`the policy ${String(given)} is not a function`);
  return async (ctx) => {
    // defined, because Koa's context has a setter `type`, which changes the answer
    const context = Object.create(ctx, own) as CodeContext;
    const passes = await policy(context, config ?? {}, { strapi });
    return passes === true || passes === undefined;
  };
}

/** Returns the middlewares of a list of names, functions, or objects with a configuration. */
export function middlewaresOf(
  items: readonly (string | CodeHandler | MiddlewareItem)[],
  owner: string | null,
  parts: EndpointParts,
): readonly CodeHandler[] {
  return items.flatMap((item) => {
    if (typeof item === 'function') return [item];
    if (item === attemptLimit) return []; // the row counts attempts
    const { name, resolve: file, config } = typeof item === 'string' ? { name: item, resolve: undefined, config: {} } : item;
    const code =
      name === undefined
        ? defaultOf(parts.load(fileOf(String(file), parts.directory)))
        : namedCode(name, owner, parts.strapi.middlewares);
    if (code === undefined) throw new UnsupportedCodeError(`the middleware ${String(name ?? file)} was left out`);
    if (typeof code !== 'function') throw new Error(`the middleware ${String(name ?? file)} is not a function`);
    return (code as CodeMiddleware)(config ?? {}, { strapi: parts.strapi }) ?? []; // the form of a middleware
  });
}

/** Returns a file by its path relative to the project or to config/. Throws an UnsupportedCodeError if there is none. */
function fileOf(path: string, directory: string): string {
  const found = sourceFile(resolve(directory, path)) ?? sourceFile(resolve(directory, 'config', path));
  if (found === null) throw new UnsupportedCodeError(`the middleware ${path} is not a file of the project`);
  return found;
}

/**
 * Returns code by its full name, by its name in the same API, or by its name in the project. Throws an UnsupportedCodeError if
 * there is none, for example for middlewares of other plugins.
 */
function namedCode(name: string, owner: string | null, named: NamedCode<unknown>): unknown {
  const local = owner === null ? name : `${owner}.${name}`;
  try {
    return named.get(!name.includes('::') && named.has(local) ? local : name);
  } catch (error) {
    throw new UnsupportedCodeError(messageOf(error));
  }
}
