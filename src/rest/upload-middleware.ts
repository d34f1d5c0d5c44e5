import type { Context, Middleware } from 'koa';
import type { Config } from '../config/config.js';
import { answerMethod } from '../http/answer-method.js';
import type { Gate } from '../http/create-gate.js';
import { decodeId } from './decode-id.js';
import { deleteFile, findFile, listFiles, receiveFiles, type UploadAction } from './upload-actions.js';

/** The media library over REST: `/api/upload`, `/api/upload/files` and `/api/upload/files/:id` (rest.md 12). */
export function uploadMiddleware({ api }: Config, gate: Gate): Middleware {
  const prefix = `${api.rest.prefix}/upload`;
  return async (ctx, next) => {
    const route = ctx.path.startsWith(prefix) ? findRoute(ctx.path.slice(prefix.length).replace(/\/$/, '')) : null;
    if (route === null) return next();
    await answer(ctx, route, gate);
  };
}

interface Route {
  readonly actions: Readonly<Record<string, UploadAction>>;
  /** 0 where the path names none. */
  readonly id: number;
}

function findRoute(path: string): Route | null {
  if (path === '') return { actions: { POST: receiveFiles }, id: 0 };
  if (path === '/files') return { actions: { GET: listFiles }, id: 0 };
  const [, id] = /^\/files\/([^/]+)$/.exec(path) ?? [];
  return id === undefined ? null : { actions: { GET: findFile, DELETE: deleteFile }, id: decodeId(id) };
}

async function answer(ctx: Context, { actions, id }: Route, gate: Gate): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined;
  if (action === undefined) {
    const methods = Object.keys(actions);
    answerMethod(ctx, methods.includes('GET') ? ['HEAD', ...methods] : methods);
    return;
  }
  const { running, content } = await gate.admit(ctx, `plugin::upload.content-api.${action.name}`);
  const body = await action.run({ ctx, id, running, content });
  ctx.status = 200;
  ctx.body = body;
}
