import type { Server } from 'node:http';
import type { Middleware } from 'koa';
import type { RegisteredRouter } from './project-routes.js';
import type { CodeHandler, StrapiRoute, StrapiRouter } from './strapi-route.js';
import { refuseMissing, UnsupportedCodeError } from '../load/unsupported-code.js';

/** `strapi.server` of Strapi v4. Other members of Strapi throw an UnsupportedCodeError. */
export interface StrapiServer {
  /** Adds routes. A router of type `content-api` has the API prefix; other routers and lists have none. */
  routes(routes: readonly StrapiRoute[] | StrapiRouter): StrapiServer;
  /** Adds a middleware for all requests. It runs after the body was read. */
  use(middleware: Middleware): StrapiServer;
  /** The server of Node, to which code attaches WebSockets. It listens after `bootstrap`. */
  readonly httpServer: Server;
}

interface ServerParts {
  readonly addRouter: (router: RegisteredRouter) => void;
  readonly addMiddleware: (middleware: CodeHandler, name: string) => void;
  readonly httpServer: Server;
}

export function createStrapiServer({ addRouter, addMiddleware, httpServer }: ServerParts): StrapiServer {
  const file = 'strapi.server.routes';
  const server: StrapiServer = {
    routes: (routes) => {
      const router: StrapiRouter = 'routes' in routes ? routes : { routes };
      if (router.type === 'admin')
        throw new UnsupportedCodeError(
          `${file}: routes of type admin are not offered: they belong to a front end that does not run here`,
        );
      addRouter({ router, prefix: router.type === 'content-api' ? null : '', owner: null, file });
      return server;
    },
    use: (middleware) => {
      addMiddleware(middleware as CodeHandler, 'strapi.server.use'); // from Koa
      return server;
    },
    httpServer,
  };
  return refuseMissing(server, 'strapi.server');
}
