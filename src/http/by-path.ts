import type { Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';
import type { CorsSettings } from './cross-origin.js';
import type { RequestState } from './request-state.js';

/** What holds for one path instead of what holds for the service. */
export interface PathSettings {
  readonly cors?: CorsSettings;
  readonly body?: MiddlewaresConfig['body'];
}

/** Paths with settings of their own. */
export type PathTable = ReadonlyMap<string, PathSettings>;

/** A middleware that is another one on some paths. Null: nothing is done. */
export function byPath(
  otherwise: Middleware<RequestState> | null,
  paths: PathTable,
  create: (settings: PathSettings) => Middleware<RequestState> | null,
): Middleware<RequestState> {
  const special = new Map([...paths].map(([path, settings]) => [path, create(settings)]));
  return (ctx, next) => {
    const middleware = special.get(ctx.path) ?? otherwise;
    return middleware === null ? next() : middleware(ctx, next);
  };
}
