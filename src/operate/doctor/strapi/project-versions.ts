import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord, recordIn, type Values } from '#base/values.js';
import { dependenciesOf } from '#settings/find-plugins.js';

/** Packages that `@strapi/strapi` 4 brings, always in its own version. */
const ofCore = [
  'admin',
  'database',
  'utils',
  'plugin-content-manager',
  'plugin-content-type-builder',
  'plugin-email',
  'plugin-upload',
];

/** The same of v3, which `strapi` does not bring but every project names. */
const main = ['@strapi/strapi', 'strapi'];

/**
 * Returns the version of each of these packages that a project has: as it is installed, or as the lock file says, or as package.json names
 * it. Packages that are not part of the project are left out.
 */
export function projectVersions(directory: string, names: readonly string[]): ReadonlyMap<string, string> {
  const declared = dependenciesOf(directory);
  const locked = lockedVersions(directory);
  const versionOf = (name: string): string | null =>
    installedVersion(directory, name) ?? locked(name) ?? /\d+\.\d+\.\d+[\w.+-]*/.exec(String(declared[name] ?? ''))?.[0] ?? null;
  const core = versionOf('@strapi/strapi');
  const bundled = new Set(core?.startsWith('4.') === true ? ofCore.map((name) => `@strapi/${name}`) : []);
  const found = [...new Set([...main, ...names])].map((name): [string, string | null] => [
    name,
    versionOf(name) ?? (bundled.has(name) ? core : null),
  ]);
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Returns the packages of others that a project depends on, and that are not installed. */
export const missingPackages = (directory: string): readonly string[] =>
  Object.keys(dependenciesOf(directory)).filter(
    (name) => !name.startsWith('@strapi/') && installedVersion(directory, name) === null,
  );

/** The version that Node would load: that of the project, or of a folder above it. */
function installedVersion(directory: string, name: string): string | null {
  const { version } = readJson(join(directory, 'node_modules', name, 'package.json'));
  if (typeof version === 'string') return version;
  return dirname(directory) === directory ? null : installedVersion(dirname(directory), name);
}

function readJson(file: string): Values {
  if (!existsSync(file)) return {};
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(read) ? read : {};
  } catch {
    return {};
  }
}

/** Returns a function that returns the version of a package in the lock file of npm, yarn or pnpm; null if none names it. */
function lockedVersions(directory: string): (name: string) => string | null {
  const npm = readJson(join(directory, 'package-lock.json'));
  const places = [recordIn(npm, 'packages'), recordIn(npm, 'dependencies')] as const;
  const texts = ['yarn.lock', 'pnpm-lock.yaml'].map((name) => readText(join(directory, name)));
  return (name) => {
    for (const entry of [places[0][`node_modules/${name}`], places[1][name]])
      if (isRecord(entry) && typeof entry['version'] === 'string') return entry['version'];
    const word = name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
    const yarn = new RegExp(String.raw`^"?${word}@[^\n]*:\n\s+version:? "?(\d[^"\s]*)`, 'm').exec(texts[0] ?? '');
    const pnpm = new RegExp(String.raw`^\s+['"]?/?${word}[@/](\d[\w.+-]*)`, 'm').exec(texts[1] ?? '');
    return yarn?.[1] ?? pnpm?.[1] ?? null;
  };
}

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
