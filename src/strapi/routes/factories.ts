import type { ContentType } from '#model/schema/content-type.js';
import { createCoreController, type Controller } from './core-controller.js';
import type { CodeRequests } from './code-requests.js';
import { createCoreService, type Service } from '../services/core-service.js';
import type { AttachFiles } from '../services/upload-service.js';
import type { StrapiRouter, StrapiRoute, RouteConfig } from './strapi-route.js';

/** The argument of functions of a project. */
interface Input {
  readonly strapi: unknown;
}

/** A controller or a service. */
type Own = Controller | Service;

type Overrides = Own | ((input: Input) => Own);

/** The options of a generated router. */
export interface RouterOptions {
  readonly prefix?: string;
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly type?: string;
  /** Configuration by action. */
  readonly config?: Readonly<Record<string, RouteConfig>>;
}

/** `factories` of @strapi/strapi. Methods of a project can call the generated ones by `super` and `this`. */
export interface Factories {
  createCoreController(uid: string, overrides?: Overrides): (input: Input) => Controller;
  createCoreService(uid: string, overrides?: Overrides): (input: Input) => Service;
  createCoreRouter(uid: string, options?: RouterOptions): StrapiRouter;
}

interface FactoryParts {
  readonly requests: CodeRequests;
  readonly attachFiles: AttachFiles;
  readonly service: (uid: string) => Service;
  /** Throws an Error for an unknown uid. */
  readonly typeOf: (uid: string) => ContentType;
}

/** The functions that generate services and controllers for content types. */
export interface CoreCode extends Pick<FactoryParts, 'typeOf'> {
  readonly createService: (uid: string) => Service;
  readonly createController: (uid: string) => Controller;
  /** Returns whether a method or action is a generated one. */
  readonly isCore: (method: unknown) => boolean;
}

export function createCoreCode({ requests, attachFiles, service, typeOf }: FactoryParts): CoreCode {
  const core = new WeakSet<object>();
  const isCore = (method: unknown): boolean => typeof method === 'function' && core.has(method);
  const marked = <Made extends Own>(made: Made): Made => {
    for (const name in made) if (typeof made[name] === 'function') core.add(made[name] as object); // inherited ones too
    return made;
  };
  const createService = (uid: string): Service =>
    marked(createCoreService(uid, { contextFor: requests.contextFor, attachFiles }));
  const createController = (uid: string): Controller => marked(createCoreController(uid, { requests, service, isCore }));
  return { createService, createController, isCore, typeOf };
}

/** Returns the factories. `core` is called when what they return is used, which may be later than the files that call them are loaded. */
export const createFactories = (core: () => CoreCode): Factories => ({
  createCoreController: (uid, overrides) => (input) => override(core().createController(uid), overrides, input),
  createCoreService: (uid, overrides) => (input) => override(core().createService(uid), overrides, input),
  createCoreRouter: (uid, options = {}) => createRouter(() => core().typeOf(uid), options),
});

/**
 * Returns the object of the project with the generated methods that it lacks. `super` has all generated methods: it starts from
 * the object in which a method is written.
 */
function override(generated: Own, overrides: Overrides | undefined, input: Input): Own {
  if (typeof overrides === 'object') Object.setPrototypeOf(overrides, generated);
  const own = typeof overrides === 'function' ? overrides(input) : { ...overrides };
  for (const name of Object.keys(generated)) if (own[name] === undefined) own[name] = generated[name] as unknown;
  Object.setPrototypeOf(own, generated);
  return own;
}

/**
 * Returns a router whose routes are generated on access, and again after the model has changed. Routes that code has added stay.
 */
function createRouter(
  type: () => ContentType,
  { prefix, only, except = [], config = {}, type: kind = 'content-api' }: RouterOptions,
): StrapiRouter {
  const generate = (model: ContentType): StrapiRoute[] =>
    Object.entries(coreRoutes(model))
      .filter(([name]) => (only === undefined || only.includes(name)) && !except.includes(name))
      .map(([name, route]) => ({ ...route, config: { ...config[name] } }));
  let made: { readonly model: ContentType; readonly generated: ReadonlySet<StrapiRoute>; readonly routes: StrapiRoute[] } | null =
    null;
  return {
    type: kind,
    ...(prefix !== undefined && { prefix }),
    get routes() {
      const model = type();
      if (made?.model === model) return made.routes;
      const generated = generate(model);
      const added = made?.routes.filter((route) => made?.generated.has(route) === false) ?? [];
      made = { model, generated: new Set(generated), routes: [...generated, ...added] };
      return made.routes;
    },
  };
}

/** Returns the routes that Strapi v4 generates for a content type, by action. */
export function coreRoutes({ uid, kind, singularName, pluralName }: ContentType): Readonly<Record<string, StrapiRoute>> {
  const route = (method: StrapiRoute['method'], path: string, name: string): StrapiRoute => ({
    method,
    path,
    handler: `${uid}.${name}`,
  });
  const [one, many] = [`/${singularName}`, `/${pluralName}`];
  if (kind === 'singleType')
    return { find: route('GET', one, 'find'), update: route('PUT', one, 'update'), delete: route('DELETE', one, 'delete') };
  return {
    find: route('GET', many, 'find'),
    findOne: route('GET', `${many}/:id`, 'findOne'),
    create: route('POST', many, 'create'),
    update: route('PUT', `${many}/:id`, 'update'),
    delete: route('DELETE', `${many}/:id`, 'delete'),
  };
}
