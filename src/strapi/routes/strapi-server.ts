import type { Server } from 'node:http';
import type { Middleware } from 'koa';
import type { RegisteredRouter } from './project-routes.js';
import type { CodeHandler, StrapiRoute, StrapiRouter } from './strapi-route.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** `strapi.server` of Strapi v4. Other members of Strapi throw an UnsupportedCodeError. */
export interface StrapiServer {
  /**
   * Adds routes. A router of type `content-api` has the API prefix, and one of type `admin` is for administrators; other routers and lists
   * have no prefix.
   */
  routes(routes: readonly StrapiRoute[] | StrapiRouter): StrapiServer;
  /**
   * Adds a middleware for all requests: in `register` before those of config/middlewares, later after them. It runs after the body was
   * read.
   */
  use(middleware: Middleware): StrapiServer;
  /** Adds routes for everybody, by the methods of koa-router: `router.get('/ping', (ctx) => …)`. */
  readonly router: Readonly<
    Record<
      'get' | 'post' | 'put' | 'patch' | 'delete' | 'del' | 'all',
      (path: string, ...more: readonly unknown[]) => StrapiServer['router']
    >
  >;
  /** The server of Node, to which code attaches WebSockets. It listens after `bootstrap`. */
  readonly httpServer: Server;
  /** Koa's application, as far as it is offered. */
  readonly app: { readonly env: string; use(middleware: Middleware): unknown };
}

const verbs = ['get', 'post', 'put', 'patch', 'delete', 'del', 'all'] as const;

/** Takes a path, or a name and a path, and then functions, each with the next one as its `next`. */
type AddRoute = StrapiServer['router']['get'];

interface ServerParts {
  readonly addRouter: (router: RegisteredRouter) => void;
  readonly use: (middleware: CodeHandler) => void;
  readonly httpServer: Server;
  /** The value of NODE_ENV. */
  readonly environment: string;
}

export function createStrapiServer({ addRouter, use, httpServer, environment }: ServerParts): StrapiServer {
  const file = 'strapi.server.routes';
  const server: StrapiServer = {
    routes: (routes) => {
      const router: StrapiRouter = 'routes' in routes ? routes : { routes };
      const { type } = router;
      addRouter({ router, prefix: type === 'content-api' ? null : '', isAdmin: type === 'admin', owner: null, file });
      return server;
    },
    use: (middleware) => {
      use(middleware as CodeHandler); // from Koa
      return server;
    },
    router: createRouter((route) => server.routes([route])),
    httpServer,
    app: refuseMissing(Object.freeze({ env: environment, use: (middleware) => server.use(middleware) }), 'strapi.server.app'),
  };
  return refuseMissing(server, 'strapi.server');
}

function createRouter(add: (route: StrapiRoute) => unknown): StrapiServer['router'] {
  const adding =
    (verb: (typeof verbs)[number]): AddRoute =>
    (...given) => {
      const handler = given.filter((one): one is CodeHandler => typeof one === 'function');
      const [path, name] = given.filter((one) => typeof one === 'string').reverse();
      if (path === undefined || given.length > handler.length + 2)
        throw new Error(`strapi.server.router.${verb} takes a text as path, and then functions`);
      const method = (verb === 'del' ? 'DELETE' : verb.toUpperCase()) as StrapiRoute['method']; // one of them
      add({ method, path, handler, ...(name !== undefined && { name }), config: { auth: false } });
      return router;
    };
  const methods = Object.fromEntries(verbs.map((verb) => [verb, adding(verb)])) as StrapiServer['router']; // one for each
  const router = refuseMissing(methods, 'strapi.server.router');
  return router;
}
