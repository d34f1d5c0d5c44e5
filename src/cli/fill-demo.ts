import type { Logger } from '../mongo/database.js';
import type { Backend } from '../mongo/open-backend.js';
import { loadDemo, type DemoTarget } from './load-demo.js';

/** Loads the demo where the configuration asks for it; while the database does not answer it is left to the next start. */
export async function fillDemo(
  { config, backend, media }: Omit<DemoTarget, 'backend'> & { readonly backend: Backend | null },
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (!config.database.demo) return;
  if (backend === null) logger.warn({}, 'MongoDB does not answer: the demo is left to the next start');
  else await loadDemo({ config, backend, media });
}
