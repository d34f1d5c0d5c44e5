import { features } from '../features.js';
import { enabledFeatures, featureActions, routesOf } from '../http/feature.js';
import { grantableActions } from '../http/running.js';
import { didYouMean } from '../nearest-name.js';
import { builtinRoutes } from '../strapi/builtin-controllers.js';
import { inspectCode } from '../strapi/inspect-project.js';
import type { OpenedService } from './open-service.js';
import { printError } from './print.js';
import { describeUnstored, hasCode } from './project-folder.js';

/** Returns all actions that can be granted: those of the service, and those in the code of the project in the working directory. */
export async function readActions({ config, content, store }: OpenedService): Promise<readonly string[]> {
  const { registry } = content.bind;
  const { directory } = config;
  const ofFeatures = featureActions(features, config);
  if (!hasCode(directory)) return grantableActions({ actions: ofFeatures }, registry);
  const unstored = await describeUnstored(directory, store.database);
  if (unstored !== null) printError(unstored);
  const builtin = builtinRoutes(routesOf(enabledFeatures(features, config), { config, projectCode: null }));
  const { actions } = await inspectCode({ directory, config, registry, builtin });
  return grantableActions({ actions: ofFeatures, projectActions: () => actions }, registry);
}

/** Returns the actions that patterns match, such as `api::article.article.*`. Throws an Error for a pattern without any. */
export function matching(actions: readonly string[], patterns: readonly string[]): string[] {
  const found = patterns.map((pattern) => actions.filter((action) => fits(action, pattern)));
  const without = patterns.find((_, index) => found[index]?.length === 0);
  if (without !== undefined) throw new Error(`no action is called ${without}${didYouMean(without, actions)}`);
  return [...new Set(found.flat())];
}

const fits = (action: string, pattern: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
