import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { RouterOptions } from '../routes/factories.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';
import type { CodeHandler, StrapiRouter } from '../routes/strapi-route.js';

/** The input of functions that return a controller or a service. */
export interface FactoryInput {
  readonly strapi: ProjectStrapi;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- code of a project says itself what it takes and returns */
/** An object, or a function of `{ strapi }` that returns one. `this` is the object together with the generated methods. */
export type Overrides<Method = any> =
  (Record<string, Method> & ThisType<any>) | ((input: FactoryInput) => Record<string, Method> & ThisType<any>);
/* eslint-enable @typescript-eslint/no-explicit-any */

/** `factories` of Strapi v4. Methods of a project can call the generated ones by `super` and `this`. */
export interface Factories {
  createCoreController(uid: string, overrides?: Overrides<CodeHandler>): (input: FactoryInput) => Controller;
  createCoreService(uid: string, overrides?: Overrides): (input: FactoryInput) => Service;
  createCoreRouter(uid: string, options?: RouterOptions): StrapiRouter;
}

const outside = (): never => {
  throw new Error('factories work in the src folder of a project, which is started by: npx mangrove start --project DIR');
};

/** The factories that the package exports. Code of a project gets those of its service instead. */
export const factories: Factories = {
  createCoreController: outside,
  createCoreService: outside,
  createCoreRouter: outside,
};
