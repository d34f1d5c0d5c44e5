import { isRecord } from '#base/values.js';
import { defaultOf } from '../load/load-folders.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';

const hookNames = ['register', 'bootstrap', 'destroy'] as const;
export type HookName = (typeof hookNames)[number];

/** A function that src/index exports. */
type ProjectHook = (input: { readonly strapi: ProjectStrapi }) => unknown;

type ProjectHooks = Partial<Record<HookName, ProjectHook>>;

/** Hooks, and the path of their file for messages. */
export interface PlacedHooks {
  readonly file: string;
  readonly hooks: ProjectHooks;
}

/** Returns the hooks that a module exports. Throws an Error if one of them is not a function. */
export function hooksOf(module: unknown): ProjectHooks {
  const code = defaultOf(module);
  const exported = code ?? module;
  const hooks = hookNames.flatMap((name) => {
    const hook = isRecord(exported) ? exported[name] : undefined;
    if (hook !== undefined && typeof hook !== 'function') throw new Error(`${name} must be a function`);
    return hook === undefined ? [] : [[name, hook] as const];
  });
  return Object.fromEntries(hooks) as ProjectHooks; // the form of the file
}
