import type { Middleware } from 'koa';
import type { RegisteredRouter } from './project-routes.js';
import type { CodeHandler, StrapiRoute, StrapiRouter } from './strapi-route.js';
import { missingServer, UnsupportedCodeError } from './unsupported-code.js';

/** `strapi.server` of Strapi v4. Members that Strapi has besides throw an UnsupportedCodeError. */
export interface StrapiServer {
  /** Adds routes: a list has no prefix, a router of type `content-api` that of the API. */
  routes(routes: readonly StrapiRoute[] | StrapiRouter): StrapiServer;
  /** Adds a middleware that every request passes through when its body is read. */
  use(middleware: Middleware): StrapiServer;
}

interface ServerParts {
  readonly addRouter: (router: RegisteredRouter) => void;
  readonly addMiddleware: (middleware: CodeHandler) => void;
}

export function createStrapiServer({ addRouter, addMiddleware }: ServerParts): StrapiServer {
  const file = 'strapi.server.routes';
  const server: StrapiServer = {
    routes: (routes) => {
      const router: StrapiRouter = 'routes' in routes ? routes : { routes };
      if (router.type === 'admin')
        throw new UnsupportedCodeError(`${file}: routes of type admin are not offered: there is no admin panel`);
      addRouter({ router, prefix: router.type === 'content-api' ? null : '', owner: null, file });
      return server;
    },
    use: (middleware) => {
      addMiddleware(middleware as CodeHandler); // of Koa
      return server;
    },
  };
  return new Proxy(server, {
    get: (target, name) => {
      if (typeof name === 'string' && !(name in target) && name !== 'then') throw missingServer(name);
      return Reflect.get(target, name) as unknown;
    },
  });
}
