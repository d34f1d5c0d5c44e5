import type { Finder } from '#content/finder.js';
import type { Config } from '#settings/config.js';
import type { AddedSettings } from '#settings/sections.js';
import { memoize } from '#base/caches.js';
import type { Consumer, Observer } from '#base/observe/observer.js';
import type { CheckResult } from '#base/finding.js';
import type { Backend } from '#store/models/open-backend.js';
import type { Database } from '#store/send/database.js';
import type { OwnCollection } from '#store/send/own-collections.js';
import { type ActionName, actionOf } from '#model/query/access.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import type { ModelOption } from '#model/schema/model-option.js';
import { notFoundError } from '#base/errors.js';
import type { ProjectCode } from './project-code.js';
import type { AnyRoute, OpenRoute } from './route.js';
import type { EntryKeys, RunningService } from './running.js';

/** What the routes of a feature may depend on. */
export interface RouteParts {
  readonly config: Config;
  /** Code of a project, whose routes have precedence; null if there is none. */
  readonly projectCode: ProjectCode | null;
  /** Returns the routes of all features. Handlers may call it; it is not complete before all features have returned their routes. */
  readonly table: () => readonly AnyRoute[];
}

/** Ends the background work of a feature. Resolves when it has ended. */
export type Closing = () => Promise<void>;

/** What is known of a feature without its code. The list is `src/declarations.ts`. */
export interface Declaration {
  /** Settings that it adds to sections of config/. `FeatureSettings` has their types. */
  readonly settings?: AddedSettings;
  /**
   * Collections besides those of its models. They are created with their indexes before it starts. Backups, restores and renames of
   * types treat them as they say, whether the feature is enabled or not.
   */
  readonly collections?: readonly OwnCollection[];
}

/** A check of `npx mangrove doctor`. */
export interface FeatureCheck {
  /** At most 14 characters. */
  readonly name: string;
  /** What is true if nothing is found. */
  readonly fine: string;
  /** Reads what it needs, and returns what it has found. It writes nothing. The configuration is as production reads it. */
  readonly check: (parts: {
    readonly config: Config;
    readonly database: Database;
    readonly registry: Registry;
  }) => Promise<CheckResult>;
}

/** A part of the service, with everything that it adds to the others. The list is `src/features.ts`. */
export interface Feature extends Declaration {
  readonly name: string;
  /**
   * Returns whether the configuration enables it; always by default. Otherwise only what it declares, its models, its options
   * and its paths are known.
   */
  readonly isEnabled?: (config: Config) => boolean;
  /** Returns a line for each conflict of its settings with others, which stops the start. Called if it is enabled. */
  readonly problems?: (config: Config) => readonly string[];
  /** Whether only `admin.port` answers its routes, if that is set. */
  readonly isAdmin?: true;
  /** Content types that exist in every database. A document of `_models` with the same uid adds attributes to them. */
  readonly models?: readonly Model[];
  /** Options that models may state, whether it is enabled or not. */
  readonly options?: readonly ModelOption[];
  /** Actions that can be granted to roles and tokens. */
  readonly actions?: readonly ActionName[];
  /** Returns the names of further actions on the entries of a type: `like` for `api::article.article.like`. */
  readonly typeActions?: (type: ContentType) => readonly string[];
  /** Keys by which callers read one entry by the rights of somebody else. One feature at most has some. */
  readonly entryKeys?: EntryKeys;
  /** Returns the types whose changes it reads in the change log (`syncLog`), which is then written for them too. */
  readonly logged?: (registry: Registry, config: Config) => readonly ContentType[];
  /** Returns what finds entries by their texts in the place of the database. One feature at most has it. */
  readonly finder?: (parts: { readonly config: Config; readonly backend: Backend; readonly observer: Observer }) => Finder;
  /** What `npx mangrove doctor` checks. */
  readonly checks?: readonly FeatureCheck[];
  /** Returns what takes observations from the start of the service; null if nothing does. */
  readonly observes?: (config: Config, observer: Observer) => Promise<Consumer> | null;
  readonly routes?: (parts: RouteParts) => readonly AnyRoute[];
  /** Returns what code of a project takes from it. The log says so after the start, and `npx mangrove check` without one. */
  readonly codeWarnings?: (
    code: Pick<ProjectCode, 'find'>,
    parts: { readonly config: Config; readonly registry: Registry },
  ) => readonly string[];
  /**
   * Begins its background work when the database has answered, before requests are answered. Jobs (`running.backend.jobs`) end with the
   * service; returns what ends other work.
   */
  readonly start?: (running: RunningService) => Promise<Closing> | undefined;
}

/** Returns the features that the configuration enables. */
export const enabledFeatures = (features: readonly Feature[], config: Config): readonly Feature[] =>
  features.filter(({ isEnabled }) => isEnabled?.(config) ?? true);

/** Returns the function that returns the actions of enabled features: those on content types, then the others. */
export function featureActions(features: readonly Feature[], config: Config): RunningService['actions'] {
  const enabled = enabledFeatures(features, config);
  const others = enabled.flatMap(({ actions = [] }) => actions);
  const ofTypes = enabled.flatMap(({ typeActions = [] }) => typeActions);
  if (ofTypes.length === 0) return () => others;
  const actionsOn = (type: ContentType) => ofTypes.flatMap((find) => find(type).map((name) => actionOf(type, name)));
  return ({ byPluralName, bySingularName }) => [
    ...[...byPluralName.values(), ...bySingularName.values()].flatMap(actionsOn),
    ...others,
  ];
}

/** Returns the function that returns the collections whose changes enabled features read in the change log. */
export function loggedCollections(features: readonly Feature[], config: Config): RunningService['logged'] {
  const readers = enabledFeatures(features, config).flatMap(({ logged }) => logged ?? []);
  return memoize((registry) => new Set(readers.flatMap((read) => read(registry, config)).map(({ collection }) => collection)));
}

/**
 * Returns the route table. The first route whose path matches a request applies, so those of content types come last. Of several routes
 * with the same method and path, only the first one is in it: without a prefix, the API has some paths of the panel.
 */
export function routesOf(features: readonly Feature[], parts: Omit<RouteParts, 'table'>): readonly AnyRoute[] {
  const routes = features.flatMap((feature) => feature.routes?.({ ...parts, table: () => table }) ?? []);
  const fixed = new Map<string, AnyRoute>();
  for (const route of routes) {
    const key = 'find' in route ? null : `${route.method} ${route.path}`;
    if (key !== null && !fixed.has(key)) fixed.set(key, route);
  }
  const table: readonly AnyRoute[] = [...fixed.values(), ...routes.filter((route) => 'find' in route)];
  return table;
}

/** Returns the route table without the admin API and the panel, whose paths are unknown there; null if they have no port of their own. */
export function publicRoutesOf(features: readonly Feature[], parts: Omit<RouteParts, 'table'>): readonly AnyRoute[] | null {
  const { port, url } = parts.config.admin;
  if (port === null) return null;
  const unknown = [...new Set(['/admin', url])].map((path) => ({ ...nothing, path: `${path}{/*rest}` }));
  const hidden: Feature = { name: 'hidden', routes: () => unknown };
  return routesOf([hidden, ...features.filter(({ isAdmin }) => isAdmin !== true)], parts);
}

/** Returns the paths of routes that take up other protocols. */
export const upgradePaths = (routes: readonly AnyRoute[]): ReadonlySet<string> =>
  new Set(routes.flatMap((route) => ('settings' in route && route.settings?.upgrades === true ? route.path : [])));

const nothing: Omit<OpenRoute, 'path'> = {
  method: 'ALL',
  action: null,
  handle: () => {
    throw notFoundError();
  },
};

/** Returns the settings of the service that shape content types. Paths of all features are reserved, whether enabled or not. */
export function modelSettings(features: readonly Feature[], config: Config): ModelSettings {
  const { api, plugins } = config;
  const routes = routesOf(features, { config, projectCode: null });
  const fixed = routes.flatMap((route) => ('find' in route || route.yields !== undefined ? [] : [route.path]));
  return {
    privateAttributes: api.responses.privateAttributes,
    localization: plugins.i18n.enabled,
    graphql: plugins.graphql.enabled,
    graphqlTypes: plugins.graphql.config.connections ? ['PageInfo'] : [],
    customFields: api.customFields,
    builtin: features.flatMap(({ models = [] }) => models),
    options: optionsOf(features),
    paths: pathsBelow(api.rest.prefix, [...fixed, plugins.graphql.config.endpoint]),
  };
}

/** The same list for the same features, because the form of models is compiled once for each. */
const optionsOf = memoize((features: readonly Feature[]) => features.flatMap(({ options = [] }) => options));

/** Returns the first segments, below a prefix, of the paths that begin with it. */
function pathsBelow(prefix: string, paths: readonly string[]): string[] {
  const below = paths.filter((path) => path.startsWith(`${prefix}/`));
  return [...new Set(below.map((path) => path.slice(prefix.length + 1).split('/')[0] ?? ''))];
}

/** Starts features one after the other. Returns a function that ends their work, the last one first. If one fails, ends the others. */
export async function startFeatures(features: readonly Feature[], running: RunningService): Promise<Closing> {
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    for (const end of closings.splice(0).reverse()) await end();
  };
  try {
    for (const { start } of features) {
      const end = await start?.(running);
      if (end !== undefined) closings.push(end);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
