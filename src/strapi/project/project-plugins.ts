import { AsyncLocalStorage } from 'node:async_hooks';
import { absentPlugins, findPlugins, type PluginPlace } from '#settings/find-plugins.js';
import type { LoadOptions } from '#settings/load-source.js';
import { messageOf } from '#base/errors.js';
import type { RunningService } from '#http/running.js';
import type { Observer } from '#base/observe/observer.js';
import type { Model, ModelDocument } from '#model/schema/model.js';
import { isRecord, mapValues } from '#base/values.js';
import type { CodeModels } from '../content/code-models.js';
import { ignoredExtension, isExtended, standIn } from './extended-plugin.js';
import { type ExtensionService, guardExtensions } from './guarded-extensions.js';
import type { ProjectFolders } from '../load/load-folders.js';
import { attempt, hasBootstrap, loadPlugins, type PluginReport, type ProjectPlugin } from '../load/load-plugins.js';
import { modelsOf, storeCodeModels } from './plugin-models.js';
import { type BootstrapWaits, codeAttempts } from './bootstrap-waits.js';
import type { HookName } from './project-hooks.js';
import type { ProjectRegisters } from '../runtime/project-registers.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';
import type { Service } from '../services/core-service.js';
import { registerPlugin } from './register-code.js';
import { missingMember, refuseMissing, UnsupportedCodeError } from '../load/unsupported-code.js';

interface LoadParts {
  readonly options: LoadOptions & { readonly directory: string };
  readonly strapi: ProjectStrapi;
  readonly registers: ProjectRegisters;
  readonly folders: ProjectFolders;
}

interface PluginsInput {
  /** Directory of the project. */
  readonly directory: string;
  /** The settings in config/plugins. */
  readonly written: unknown;
  readonly observer: Observer;
  /** `strapi.admin.services`. */
  readonly adminServices: Readonly<Record<string, object>>;
}

interface HookParts {
  readonly waits: BootstrapWaits;
  /** Called after the hook of each plugin. */
  readonly settle: () => void;
}

interface ModelParts {
  readonly directory: string;
  readonly code: CodeModels;
  readonly waits: BootstrapWaits;
}

interface RunningHook {
  readonly place: string;
  usesAdmin: boolean;
}

/** The plugins of a project. Their code never stops the start: what fails is in the log, and the rest runs. */
export class ProjectPlugins {
  readonly places: readonly PluginPlace[];
  readonly #absent: readonly string[];
  readonly #report: PluginReport;
  readonly #adminServices: PluginsInput['adminServices'];
  #plugins: readonly ProjectPlugin[] = [];
  /** The hook that runs. */
  readonly #hooks = new AsyncLocalStorage<RunningHook>();

  constructor({ directory, written, observer, adminServices }: PluginsInput) {
    this.places = findPlugins(directory, written);
    this.#absent = absentPlugins(directory, written);
    this.#report = reportTo(observer);
    this.#adminServices = adminServices;
  }

  /** Loads the code of the plugins, and registers it under its names in Strapi v4. */
  async load({ options, strapi, registers, folders }: LoadParts): Promise<void> {
    const report = this.#report;
    this.#plugins = await loadPlugins(this.places, { options, strapi, extensions: folders.extensions, report });
    for (const { name, config } of this.#plugins) strapi.config.set(`plugin.${name}`, config);
    for (const plugin of this.#plugins) await registerPlugin(plugin, { ...registers, strapi, report });
    for (const name of folders.ignored) report(`src/extensions/${name} is not run`, ignoredExtension(name));
    for (const name of folders.plugins.filter((folder) => !this.hasFolder(`src/plugins/${folder}`, options.directory)))
      report(`src/plugins/${name}`, 'the plugin does not run: it has no server code, or config/plugins does not enable it');
  }

  /** Returns whether a plugin runs from a folder of the project. */
  hasFolder(folder: string, directory: string): boolean {
    return this.places.some(({ files }) => files.some((file) => file.startsWith(`${directory}/${folder}/`)));
  }

  readonly names = (): readonly string[] => this.places.map(({ name }) => name);

  /** Returns whether the project has a plugin with this name. */
  readonly has = (name: string): boolean => this.places.some((place) => place.name === name);

  /** Returns whether code can extend a plugin. */
  readonly isExtended = (name: string): boolean => this.has(name) || isExtended(name);

  /** Returns whether a plugin of Strapi v4 is absent because the project does not name it. */
  readonly isAbsent = (name: string): boolean => this.#absent.includes(name);

  /** Returns the members of a plugin that those of Mangrove lack; null if the project has no such plugin. */
  readonly membersOf = (name: string): object | null => {
    const plugin = this.#plugins.find((one) => one.name === name);
    if (plugin === undefined) return null;
    const { routes, policies, middlewares, register, bootstrap, destroy } = plugin.code;
    const memberOf = (members: unknown) => (key: string) => (isRecord(members) ? members[key] : undefined);
    const named = { policies, policy: memberOf(policies), middlewares, middleware: memberOf(middlewares) };
    return { routes, ...named, register, bootstrap, destroy };
  };

  /**
   * Returns `strapi.admin`. While a hook of a plugin runs, the use of a member that is missing is reported once and has no effect, so
   * that the rest of the hook runs; other code gets an UnsupportedCodeError.
   */
  readonly admin = (config: unknown): unknown =>
    adminWith({ services: this.#adminServices, config }, () => {
      const hook = this.#hooks.getStore();
      const missing = missingMember('strapi', 'admin');
      if (hook === undefined) throw missing ?? new Error('strapi.admin');
      if (!hook.usesAdmin) this.#report(hook.place, missing);
      hook.usesAdmin = true;
      return standIn();
    });

  /** Returns a service of administrators by its uid; undefined if it is not there. */
  readonly adminService = (uid: string): Service | undefined => {
    const [, name = ''] = /^admin::(.+)$/.exec(uid) ?? [];
    const service = Object.hasOwn(this.#adminServices, name) ? this.#adminServices[name] : undefined;
    return service && (refuseMissing(service, `strapi.service('${uid}')`) as Service);
  };

  /** Calls a hook of all plugins, and `settle` after each of them. */
  async run(name: HookName, strapi: ProjectStrapi, { waits, settle }: HookParts): Promise<void> {
    const service = strapi.plugin('graphql').service('extension') as unknown as ExtensionService; // the service of this name
    for (const { code, file } of this.#plugins) {
      const hook = code[name];
      if (typeof hook !== 'function') continue;
      const place = `${file}, ${name}`;
      const reported = new Set<string>();
      const report = (error: unknown): void => {
        if (!reported.has(String(error))) this.#report(`${place}, extension of GraphQL`, error);
        reported.add(String(error));
      };
      const call = async (): Promise<unknown> => (hook as (input: object) => unknown)({ strapi });
      const running = { place, usesAdmin: false };
      const hooked = () => this.#hooks.run(running, () => guardExtensions(service, report, call));
      await attempt(place, this.#report, () =>
        name === 'bootstrap' ? waits.untilAnswered(place, hooked, codeAttempts) : hooked(),
      );
      await attempt(place, this.#report, settle);
    }
  }

  /** Returns whether a plugin has code of `bootstrap`. */
  get bootstraps(): boolean {
    return this.#plugins.some(hasBootstrap);
  }

  /** Returns the models of the plugins, as their code has them. */
  models(directory: string): readonly Model[] {
    return this.#plugins.flatMap((plugin) => modelsOf(plugin, directory));
  }

  /**
   * Stores the content types of the plugins, and the models that `register` has changed, because code decides which attributes there are.
   */
  storeModels(running: RunningService, { directory, code, waits }: ModelParts): Promise<void> {
    const place = 'content types of plugins';
    return attempt(place, this.#report, async () => {
      const own = this.models(directory);
      const uids = new Set(own.map(({ uid }) => uid));
      const changed = (stored: readonly ModelDocument[]) => code.documents(stored).filter(({ uid }) => !uids.has(uid));
      const documents = (stored: readonly ModelDocument[]) => [...own.map(code.changed), ...changed(stored)];
      let isStale = false;
      await waits.untilAnswered(place, async () => {
        const wasStale = isStale;
        isStale = true; // unless this attempt ends
        isStale = (await storeCodeModels(documents, running, this.#report)) || wasStale;
      });
      if (isStale) await waits.untilAnswered(place, () => running.backend.models.load());
    });
  }
}

/** Returns a function that reports problems of plugins, with the stack of errors that are not named by Mangrove. */
const reportTo =
  (observer: Observer): PluginReport =>
  (place, problem) => {
    if (problem instanceof Error && !(problem instanceof UnsupportedCodeError))
      observer.observe({ kind: 'code failed', text: `${place}: ${problem.message}`, err: problem });
    else {
      const text = `${place}: ${messageOf(problem)}`;
      observer.observe({ kind: 'code warned', text });
    }
  };

/** Returns `strapi.admin`, which has its settings and some services. `missing` returns the value of any other member, or throws. */
function adminWith(
  { services, config }: { readonly services: PluginsInput['adminServices']; readonly config: unknown },
  missing: () => unknown,
): unknown {
  const only = (members: object): object =>
    new Proxy(members, {
      get: (known, name) => (typeof name === 'symbol' || name in known || name === 'then' ? Reflect.get(known, name) : missing()),
    });
  return only({ config, services: only(mapValues(services, only)) });
}
