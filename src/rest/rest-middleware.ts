import type { Context, Middleware } from 'koa';
import { notFoundError } from '../errors.js';
import { answerMethod } from '../http/answer-method.js';
import { actionOf, type ContentType } from '../schema/content-type.js';
import { collectionActions, singleActions, type Action } from './actions.js';
import { decodeId } from './decode-id.js';
import type { RestServices } from './rest-services.js';

/**
 * The content API over REST: `/api/:pluralName`, `/api/:pluralName/:id`, `/api/:singularName` and their localizations. The type is
 * looked up when the request comes, so a new model serves at once, and the cost does not depend on the number of types.
 */
export function restMiddleware(services: RestServices): Middleware {
  const prefix = `${services.config.api.rest.prefix}/`;
  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix)) return next();
    const route = findRoute(ctx.path.slice(prefix.length).replace(/\/$/, ''), services);
    if (route === null) return next();
    await answer(ctx, route, services);
  };
}

interface Route {
  readonly type: ContentType;
  readonly id: string;
  readonly actions: Readonly<Record<string, Action>>;
}

function findRoute(path: string, { connection }: RestServices): Route | null {
  const [name = '', ...rest] = path.split('/');
  const registry = connection.require().backend.models.current();
  const collection = registry.byPluralName.get(name);
  if (collection !== undefined) return collectionRoute(collection, rest);
  const single = registry.bySingularName.get(name);
  return single === undefined ? null : singleRoute(single, rest);
}

function collectionRoute(type: ContentType, [id, last, ...more]: readonly string[]): Route | null {
  if (more.length > 0 || id === '') return null;
  if (last === undefined)
    return { type, id: id ?? '', actions: id === undefined ? collectionActions.list : collectionActions.entry };
  if (last !== 'localizations') return null;
  return { type, id: id ?? '', actions: type.localized ? collectionActions.localizations : {} };
}

function singleRoute(type: ContentType, [last, ...more]: readonly string[]): Route | null {
  if (more.length > 0) return null;
  if (last === undefined) return { type, id: '', actions: singleActions.entry };
  return type.localized && last === 'localizations' ? { type, id: '', actions: singleActions.localizations } : null;
}

async function answer(ctx: Context, { type, id, actions }: Route, services: RestServices): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined;
  if (action === undefined) {
    const methods = Object.keys(actions);
    answerMethod(ctx, methods.includes('GET') ? ['HEAD', ...methods] : methods);
    return;
  }
  const { running, content } = await services.gate.admit(ctx, actionOf(type, action.name));
  const services_ = { queries: services.queries, running };
  const body = await action.run({ ctx, type, id: decodeId(id), services: services_, content });
  if (body === null) throw notFoundError();
  ctx.status = 200;
  ctx.body = body;
}
