import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dependsOnStrapi } from '../config/load-config.js';

/** Returns the folder that a command works on: the given one, or that of MANGROVE_PROJECT, or the working directory. */
export function projectFolder(given = process.env['MANGROVE_PROJECT']): string {
  const directory = resolve(given ?? '.');
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  return directory;
}

/** Returns whether a folder has code in the places of a Strapi project. */
export const hasCode = (directory: string): boolean => dependsOnStrapi(directory) || existsSync(join(directory, 'src/api'));
