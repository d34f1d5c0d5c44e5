import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyPlain, isRecord } from './values.js';

/** What a provider of Strapi v4 does: it sends e-mails, or keeps files at another service. */
type ProviderKind = 'email' | 'upload';

/** Returns the package of a provider in a project, which Strapi v4 looks for in the same order; null if none is installed. */
export function providerPackage(kind: ProviderKind, provider: string, directory: string): string | null {
  const { resolve } = createRequire(join(directory, 'package.json'));
  const isInstalled = (name: string): boolean => {
    try {
      return isAbsolute(resolve(name)); // a name of Node's own modules is none
    } catch {
      return false;
    }
  };
  return [`@strapi/provider-${kind}-${provider.toLowerCase()}`, provider].find(isInstalled) ?? null;
}

/**
 * Returns what `init` of a package of a project makes of these options, which it may change; null if it has no `init`, or that returns no
 * object. Rejects if the package cannot be loaded.
 */
export async function openProvider(name: string, directory: string, options: readonly object[]): Promise<object | null> {
  const file = createRequire(join(directory, 'package.json')).resolve(name);
  const init = initIn(await import(pathToFileURL(file).href));
  const made: unknown = await init?.(...options.map(copyPlain));
  return isRecord(made) ? made : null;
}

type Init = (...options: readonly unknown[]) => unknown;

/** Returns `init` of a module, or of its default export; null if there is none. */
function initIn(module: unknown): Init | null {
  if (!isRecord(module)) return null;
  const { init } = module;
  return typeof init === 'function' ? (init as Init) : initIn(module['default']);
}
