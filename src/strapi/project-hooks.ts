import { isRecord } from '../values.js';
import { defaultOf } from './load-folders.js';
import type { ProjectStrapi } from './project-strapi.js';

const hookNames = ['register', 'bootstrap', 'destroy'] as const;
export type HookName = (typeof hookNames)[number];

/** A function of src/index. */
type ProjectHook = (input: { readonly strapi: ProjectStrapi }) => unknown;

/** The exports of src/index. */
export type ProjectHooks = Partial<Record<HookName, ProjectHook>>;

/** Throws an Error for an export of these names that is no function. */
export function hooksOf(module: unknown): ProjectHooks {
  const code = defaultOf(module);
  const exported = code ?? module;
  const hooks = hookNames.flatMap((name) => {
    const hook = isRecord(exported) ? exported[name] : undefined;
    if (hook !== undefined && typeof hook !== 'function') throw new Error(`${name} must be a function`);
    return hook === undefined ? [] : [[name, hook] as const];
  });
  return Object.fromEntries(hooks) as ProjectHooks; // the contract of the file
}
