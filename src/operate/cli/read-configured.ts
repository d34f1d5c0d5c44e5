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

/** Returns the modules of a Strapi project. They are imported only then, because that takes as long as all else before the database. */
export const modulesOf = async (directory: string): Promise<ProjectModules> =>
  new (await import('#strapi/project/project-modules.js')).ProjectModules(directory);

/** Reads the configuration of a folder; by default of the working directory. Throws a ConfigError that lists all problems. */
export async function readConfigured(
  { directory, isNamed }: ProjectFolder = { directory: process.cwd(), isNamed: false },
): Promise<Configured> {
  const isStrapiProject = isNamed || dependsOnStrapi(directory);
  const modules = isStrapiProject ? await modulesOf(directory) : undefined;
  return { config: await loadConfig({ directory, sections: allSections, isStrapiProject, modules }), modules };
}
