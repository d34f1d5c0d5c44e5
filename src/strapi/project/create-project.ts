import type { Config } from '#settings/config.js';
import type { FetchUser } from '#content/rights/authenticate.js';
import type { ContentContext, CodeHooks } from '#content/content-context.js';
import type { ProjectCode, ProjectRoute } from '#http/project-code.js';
import type { AdminAction, AdminCondition, AgentTool, Connection, ModelFiles } from '#http/running.js';
import type { ModelDocument } from '#model/schema/model.js';
import { CodeProblems } from '../load/code-problems.js';
import type { GuardedAction } from '../routes/guarded-actions.js';
import type { RouteTable } from '../routes/project-routes.js';
import { findRows } from '../routes/route-index.js';
import { projectModelFiles } from '../load/model-files.js';
import { tasksIn } from '../runtime/project-cron.js';
import { type BootstrapWaits, codeAttempts, readyForCode } from './bootstrap-waits.js';
import type { HookName } from './project-hooks.js';
import { type ReadToken, replacedFetch, replacedMethods, replacedVerify } from './replaced-methods.js';
import type { GivenStrapi, ProjectStrapi } from '../runtime/project-strapi.js';
import { ProjectRegisters } from '../runtime/project-registers.js';
import { runLeniently } from '../load/run-code.js';
import type { Subscriber } from '#store/changes/entry-events.js';
import { addedEvents } from '../services/webhook-store.js';
import { load, type LoadedProject, type LoadInput, type ProjectInput } from './load-project.js';

/** The code of a Strapi project. */
export interface Project {
  /**
   * Loads the code, and calls `register` of plugins, extensions and src/index, if there is any when the database has answered. Calls none
   * after a stop.
   */
  readonly register: (input: { readonly strapi: GivenStrapi }) => Promise<void>;
  /** Prepares the database for the code, calls `bootstrap` of it, and starts its tasks. */
  readonly bootstrap: () => Promise<void>;
  /** Returns whether there is code of `bootstrap`. */
  readonly bootstraps: () => boolean;
  readonly destroy: () => Promise<void>;
  /** Returns the `strapi` of the code; null until it is loaded. */
  readonly strapi: () => ProjectStrapi | null;
  /** Returns the current context of code. Throws a 503 until the database has answered. */
  readonly content: () => ContentContext;
  readonly codeHooks: CodeHooks;
  readonly code: ProjectCode;
  /** Returns `fetchAuthenticatedUser` of an extension; null if there is none. */
  readonly fetchUser: () => FetchUser | null;
  /** Returns the function by which an extension replaces the reading of tokens; null if there is none. */
  readonly readToken: () => ReadToken | null;
  /** Returns the types of custom fields that code has registered, by name. */
  readonly customFields: () => Readonly<Record<string, string>>;
  readonly modelFiles: ModelFiles;
  /** Returns the document of a model with what `register` has changed in it. */
  readonly changedModel: <Document extends ModelDocument>(document: Document) => Document;
  /** Returns the actions of the project that can be granted to roles. */
  readonly projectActions: () => readonly string[];
  /** Returns the actions of administrators that code has registered. */
  readonly adminActions: () => readonly AdminAction[];
  /** Returns the conditions of permissions of administrators that code has registered. */
  readonly adminConditions: () => readonly AdminCondition[];
  /** Returns the tools for agents that code has registered. */
  readonly agentTools: () => readonly AgentTool[];
  /** Returns the events of the project that webhooks may name. */
  readonly ownEvents: () => readonly string[];
  /** Hear of entries for `strapi.eventHub`. */
  readonly subscribers: readonly Subscriber[];
  /** Returns the generated actions that code overrides or guards over REST. */
  readonly guardedActions: () => readonly GuardedAction[];
}

/** What the start of a service gives a project. */
interface StartInput extends ProjectInput {
  readonly waits: BootstrapWaits;
  /**
   * Returns the models of the files of the project, or else the stored ones when the database answers; null if the service stops before.
   */
  readonly models: () => Promise<readonly ModelDocument[] | null>;
}

/**
 * Returns the functions that run the code of a project. `strapi` is also a global for its files. Errors of code are printed with
 * their stack and become a ConfigError. Code that cannot run here stops the start in production; otherwise it is skipped with a
 * warning.
 */
export function createProject(input: StartInput): Project {
  const registers = new ProjectRegisters(input);
  const parts = { ...input, registers, problems: new CodeProblems(input) };
  let loaded: LoadedProject | null = null;
  let isRegistered = false;
  const run = hookRunner({ ...input, settle: () => registers.models.settle() }, () => loaded);
  const table = () => tableOf(loaded, input.connection);
  return {
    ...registeredIn(registers),
    register: async ({ strapi }) => {
      await runLeniently('src', input, async () => void (loaded = await load(strapi, parts)));
      parts.problems.refuse();
      if (loaded === null) return;
      registers.models.open(await modelsFor(loaded, input));
      isRegistered = !input.connection.isStopping;
      if (isRegistered) await registerCode(loaded, parts, () => run('register'));
    },
    bootstrap: async () => {
      if (loaded !== null) await prepare(loaded, parts);
      if (bootstraps(loaded)) await whenReady(input, () => run('bootstrap'));
      if (!input.connection.isStopping) registers.cron.start();
    },
    bootstraps: () => bootstraps(loaded),
    destroy: async () => {
      registers.cron.destroy();
      if (isRegistered) await run('destroy');
    },
    strapi: () => loaded && loaded.strapi,
    modelFiles: projectModelFiles(input.directory),
    code: registers.projectCode(routesOf(table, input.config)),
    fetchUser: () => loaded && replacedFetch(registers.registry, loaded.services),
    readToken: () => loaded && replacedVerify(registers.registry, loaded.services),
    projectActions: () => table()?.actions ?? [],
    guardedActions: () => table()?.guarded ?? [],
  };
}

/** Returns what code has registered so far. */
const registeredIn = (registers: ProjectRegisters) => ({
  content: registers.content,
  codeHooks: registers.lifecycles,
  changedModel: registers.models.changed,
  customFields: () => registers.customFields.types,
  adminActions: registers.adminActions.list,
  adminConditions: () => registers.adminConditions,
  agentTools: () => [...registers.agentTools.values()],
  ownEvents: () => addedEvents(registers.webhookEvents),
  subscribers: registers.subscribers,
});

/** Runs the code of `register`, and what extensions change, while the models are open to it. */
async function registerCode({ extended }: LoadedProject, input: LoadInput, run: () => Promise<void>): Promise<void> {
  const { models } = input.registers;
  for (const { file, change } of extended) await runLeniently(file, input, () => change(models));
  await run();
  models.close();
  input.registers.middlewares.endRegister();
}

/** Stores the content types of plugins, and adds the tasks of config/server. Throws a ConfigError that lists all problems of the code. */
async function prepare(loaded: LoadedProject, input: LoadInput & StartInput): Promise<void> {
  const { connection, registers, problems, directory, waits } = input;
  const { running } = connection;
  if (running !== null) {
    await loaded.plugins.storeModels(running, { directory, code: registers.models, waits });
    loaded.routes.tableOf(running.backend.models.snapshot.registry);
  }
  await runLeniently('src/extensions', input, () => {
    for (const text of replacedMethods(registers.registry, loaded.services)) problems.log(text);
  });
  problems.refuse();
  problems.end();
  await runLeniently('config/server, cron', input, () => registers.cron.add(tasksIn(loaded.strapi.config)));
}

/** Runs the code of `bootstrap` when it may. */
async function whenReady({ connection: { running }, waits }: StartInput, run: () => Promise<void>): Promise<void> {
  if (running === null) return;
  await readyForCode(running, waits);
  await waits.inTurn(running, run);
}

/** Returns whether the code of a project has a `bootstrap`. */
const bootstraps = (loaded: LoadedProject | null): boolean =>
  loaded !== null && (loaded.plugins.bootstraps || loaded.hooks.some(({ hooks }) => hooks.bootstrap !== undefined));

/** Returns a function that runs the code of a hook: that of plugins, of extensions and of src/index. */
const hookRunner =
  (input: StartInput & { readonly settle: () => void }, loaded: () => LoadedProject | null) =>
  async (name: HookName): Promise<void> => {
    const { hooks = [], plugins, strapi } = loaded() ?? {};
    if (strapi === undefined) return;
    await plugins?.run(name, strapi, input);
    for (const { file, hooks: own } of hooks) {
      const place = `${file}, ${name}`;
      const call = async (): Promise<void> => {
        await own[name]?.({ strapi });
        input.settle();
      };
      await runLeniently(place, input, () =>
        name === 'bootstrap' ? input.waits.untilAnswered(place, call, codeAttempts) : call(),
      );
    }
  };

/** Returns the models that `register` may change; null if they are not known yet. */
async function modelsFor({ plugins, hooks, extended }: LoadedProject, { models, directory }: StartInput) {
  const isChanging = plugins.places.length + extended.length > 0 || hooks.some((one) => one.hooks.register !== undefined);
  const documents = isChanging ? await models() : null;
  const own = plugins.models(directory);
  return documents && [...documents.filter(({ uid }) => own.every((model) => model.uid !== uid)), ...own];
}

/** Returns the routes in force; null until the code is loaded and the database has answered. */
const tableOf = (loaded: LoadedProject | null, { running }: Connection) =>
  loaded === null || running === null ? null : loaded.routes.tableOf(running.backend.models.snapshot.registry);

/** Returns what finds the routes in force. Without a panel there are no routes for administrators. */
const routesOf = (table: () => RouteTable | null, { admin }: Config): Pick<ProjectCode, 'find' | 'routes'> => ({
  find: (method, path, open) => {
    const routes = table();
    return routes && findRows(method, path, open === 'open' || !admin.enabled ? routes.openIndex : routes.index);
  },
  routes: () => table()?.openIndex.routes ?? noRoutes,
});

/** Always the same list, because documents are cached by the list of routes. */
const noRoutes: readonly ProjectRoute[] = [];
