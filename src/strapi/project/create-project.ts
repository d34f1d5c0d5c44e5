import { userUid } from '../../accounts/user-store.js';
import type { FetchUser } from '../../auth/authenticate.js';
import type { ContentContext, CodeHooks } from '../../content/content-context.js';
import type { ProjectCode, ProjectRoute } from '../../http/route.js';
import type { Connection, ModelFiles } from '../../http/running.js';
import { CodeProblems } from '../load/code-problems.js';
import type { CodeRegistry } from '../routes/code-registry.js';
import type { GuardedAction } from '../routes/guarded-actions.js';
import { findRows } from '../routes/route-index.js';
import { projectModelFiles } from '../load/model-files.js';
import { tasksIn } from '../runtime/project-cron.js';
import type { PluginServices } from '../services/plugin-services.js';
import type { HookName } from './project-hooks.js';
import type { GivenStrapi, ProjectStrapi } from '../runtime/project-strapi.js';
import { ProjectRegisters } from '../runtime/project-registers.js';
import { runLeniently } from '../load/run-code.js';
import type { Subscriber } from '../../mongo/changes/entry-events.js';
import { addedEvents } from '../services/webhook-store.js';
import { load, type Loaded, type LoadInput, type ProjectInput } from './load-project.js';

/** The code of a Strapi project. */
export interface Project {
  /** Loads the code, and calls `register` of src/index. */
  readonly register: (input: { readonly strapi: GivenStrapi }) => Promise<void>;
  readonly bootstrap: () => Promise<void>;
  readonly destroy: () => Promise<void>;
  /** Returns the `strapi` of the code; null until it is loaded. */
  readonly strapi: () => ProjectStrapi | null;
  /** Returns the current context of code. Throws a 503 until the database has answered. */
  readonly content: () => ContentContext;
  readonly codeHooks: CodeHooks;
  readonly code: ProjectCode;
  /** Returns `fetchAuthenticatedUser` of an extension; null if there is none. */
  readonly fetchUser: () => FetchUser | null;
  /** Returns the types of custom fields that code has registered, by name. */
  readonly customFields: () => Readonly<Record<string, string>>;
  readonly modelFiles: ModelFiles;
  /** Returns the actions of the project that can be granted to roles. */
  readonly projectActions: () => readonly string[];
  /** Returns the events of the project that webhooks may name. */
  readonly ownEvents: () => readonly string[];
  /** Hear of entries for `strapi.eventHub`. */
  readonly subscribers: readonly Subscriber[];
  /** Returns the generated actions that code overrides or guards over REST. */
  readonly guardedActions: () => readonly GuardedAction[];
}

/**
 * Returns the functions that run the code of a project. `strapi` is also a global for its files. Errors of code are printed with
 * their stack and become a ConfigError. Code that cannot run here stops the start in production; otherwise it is skipped with a
 * warning.
 */
export function createProject(input: ProjectInput): Project {
  const registers = new ProjectRegisters(input);
  const parts = { ...input, registers, problems: new CodeProblems(input) };
  let loaded: Loaded | null = null;
  const run = hookRunner(input, () => loaded);
  const table = () => tableOf(loaded, input.connection);
  return {
    register: async ({ strapi }) => {
      await runLeniently('src', input, async () => void (loaded = await load(strapi, parts)));
      parts.problems.refuse();
      await run('register');
    },
    bootstrap: async () => {
      if (loaded !== null) await prepare(loaded, parts);
      await run('bootstrap');
      registers.cron.start();
    },
    destroy: () => {
      registers.cron.destroy();
      return run('destroy');
    },
    strapi: () => loaded && loaded.strapi,
    content: registers.content,
    codeHooks: registers.lifecycles,
    modelFiles: projectModelFiles(input.directory),
    code: registers.projectCode({
      find: (method, path) => {
        const routes = table();
        return routes && findRows(method, path, routes);
      },
      routes: () => table()?.routes ?? noRoutes,
    }),
    fetchUser: () => loaded && replacedFetch(registers.registry, loaded.services),
    customFields: () => registers.customFields.types,
    projectActions: () => table()?.actions ?? [],
    ownEvents: () => addedEvents(registers.webhookEvents),
    subscribers: registers.subscribers,
    guardedActions: () => table()?.guarded ?? [],
  };
}

/** Stores the content types of plugins, and adds the tasks of config/server. Throws a ConfigError that lists all problems of the code. */
async function prepare(loaded: Loaded, input: LoadInput): Promise<void> {
  const { connection, registers, problems } = input;
  const { running } = connection;
  if (running !== null) {
    await loaded.plugins.storeModels(running, input.directory);
    loaded.routes.tableOf(running.backend.models.snapshot.registry);
  }
  problems.refuse();
  problems.end();
  await runLeniently('config/server, cron', input, () => registers.cron.add(tasksIn(loaded.strapi.config)));
}

/** Returns a function that runs the code of a hook: that of plugins, of extensions and of src/index. */
const hookRunner =
  (input: ProjectInput, loaded: () => Loaded | null) =>
  async (name: HookName): Promise<void> => {
    const { hooks = [], plugins, strapi } = loaded() ?? {};
    if (strapi === undefined) return;
    await plugins?.run(name, strapi);
    for (const one of hooks) await runLeniently(`${one.file}, ${name}`, input, () => one.hooks[name]?.({ strapi }));
  };

/** Returns the routes in force; null until the code is loaded and the database has answered. */
const tableOf = (loaded: Loaded | null, { running }: Connection) =>
  loaded === null || running === null ? null : loaded.routes.tableOf(running.backend.models.snapshot.registry);

/** Always the same list, because documents are cached by the list of routes. */
const noRoutes: readonly ProjectRoute[] = [];

/** Returns `fetchAuthenticatedUser` of the user service; null unless an extension has replaced it. */
function replacedFetch(registry: Pick<CodeRegistry, 'get'>, services: PluginServices): FetchUser | null {
  const service = registry.get('service', userUid);
  const fetch: unknown = service?.['fetchAuthenticatedUser'];
  if (typeof fetch !== 'function' || fetch === services['users-permissions']?.['user']?.['fetchAuthenticatedUser']) return null;
  return async (id) => ((await (fetch as (id: number) => unknown).call(service, id)) ?? null) as Awaited<ReturnType<FetchUser>>; // the form of the method
}
