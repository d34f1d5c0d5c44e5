import { allSections } from '#declarations.js';
import type { Config } from '#settings/config.js';
import { dependsOnStrapi, loadConfig } from '#settings/load-config.js';
import type { ProjectModules } from '#strapi/project/project-modules.js';
import type { ProjectFolder } from './project-folder.js';

/** The configuration of a folder. */
export interface Configured {
  readonly config: Config;
  /** What the configuration shares with the code of a Strapi project; undefined if there is none. */
  readonly modules: ProjectModules | undefined;
}

/** Returns the modules of a Strapi project. What they need is imported only then, because that takes half a second. */
export const modulesOf = async (directory: string): Promise<ProjectModules> =>
  new (await import('#strapi/project/project-modules.js')).ProjectModules(directory);

/** Returns the modules of a folder if it has a Strapi project; otherwise undefined. */
export const modulesIn = async ({ directory, isNamed }: ProjectFolder): Promise<ProjectModules | undefined> =>
  isNamed || dependsOnStrapi(directory) ? modulesOf(directory) : undefined;

/**
 * Reads the configuration of a folder with its modules; by default that of the working directory. Throws a ConfigError that lists all
 * problems.
 */
export async function readConfigured(
  folder: ProjectFolder = { directory: process.cwd(), isNamed: false },
  given?: ProjectModules,
): Promise<Configured> {
  const modules = given ?? (await modulesIn(folder));
  const { directory } = folder;
  const isStrapiProject = modules !== undefined;
  return { config: await loadConfig({ directory, sections: allSections, isStrapiProject, modules }), modules };
}
