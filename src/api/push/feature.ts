import type { Feature } from '#http/feature.js';
import type { RunningService } from '#http/running.js';
import { ownerWarnings } from './path-owners.js';
import { pushRoutes } from './routes.js';

/** Writes that clients have made without the service. */
export const push: Feature = {
  name: 'push',
  routes: pushRoutes,
  start: (running) => warnOfOwners(running),
};

/** Warns once of each content type that has the path of a route. */
function warnOfOwners({ backend: { jobs, models }, config }: RunningService): undefined {
  const told = new Set<string>();
  const warn = (): void => {
    const texts = ownerWarnings(models.snapshot.registry, config.api.rest.prefix).filter((text) => !told.has(text));
    for (const text of texts) jobs.observer.observe({ kind: 'warned', topic: 'configuration', text });
    for (const text of texts) told.add(text);
  };
  warn();
  models.onChange(warn);
}
