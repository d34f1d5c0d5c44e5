import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { advice, firstLineOf, nameSome, ok, problem, unknown, type Finding } from '#base/finding.js';
import { isRecord, type Values } from '#base/values.js';
import { compareVersions, isInRange } from '#base/version-range.js';
import { findPlugins } from '#settings/find-plugins.js';
import { examineConfig } from '#settings/load-config.js';
import type { Sections } from '#settings/sections.js';
import { readConfigFiles } from '#strapi/load/strapi-config.js';
import { ProjectModules } from '#strapi/project/project-modules.js';
import type { NamedFinding } from '../checks.js';
import { missingPackages, projectVersions } from './project-versions.js';
import { type PublishedFlaw, readPublishedFlaws } from './published-flaws.js';

/** The last release of v4. */
const last = '4.26.2';

/** The day after which versions get no fixes, by the security policy of Strapi. */
const ends: Readonly<Record<string, string>> = { 3: '2022-11-30', 4: '2026-04-30' };

/**
 * Returns what a project of Strapi is exposed to: one finding for each published flaw of its versions, and what moving changes. Loads the
 * files of config/, so that their code outside of functions runs. Throws an Error if the folder has no such project.
 */
export async function checkStrapi(directory: string, known: Sections): Promise<readonly NamedFinding[]> {
  const { lookedUp, flaws } = readPublishedFlaws();
  const names = flaws.flatMap(({ affected }) => affected.map((one) => one.package));
  const versions = projectVersions(directory, names);
  const version = versions.get('@strapi/strapi') ?? versions.get('strapi');
  if (version === undefined) throw new Error(`${directory} has no project of Strapi: its package.json names no version of it`);
  const files = await readFiles(directory, known);
  const exposed = flaws.flatMap((flaw) => exposureOf(flaw, versions, files) ?? []);
  const none = `none of ${String(flaws.length)} published flaws is in the versions of this project`;
  return [
    { name: 'support', ...supportOf(version, lookedUp) },
    ...(exposed.length === 0 ? [{ name: 'flaws', ...ok(none) }] : exposed),
    { name: 'config', ...(typeof files === 'string' ? unknown(`config/ was not read: ${files}`) : ok('config/ was read')) },
    { name: 'plugins', ...pluginsOf(directory, files) },
    {
      name: 'moving',
      ...ok('after moving, npx mangrove check and npx mangrove doctor say what the project and the service need'),
    },
  ];
}

/** Raw values of the files of config/, by name; a text that says why they could not be read. */
type Files = Values | string;

async function readFiles(directory: string, known: Sections): Promise<Files> {
  if (!existsSync(join(directory, 'config'))) return {};
  try {
    const modules = new ProjectModules(directory);
    const { config } = await examineConfig({
      directory,
      modules,
      sections: known,
      isStrapiProject: true,
      environment: 'production',
    });
    return await readConfigFiles({ directory, modules }, config, () => undefined);
  } catch (error) {
    return firstLineOf(error);
  }
}

function supportOf(version: string, today: string): Finding {
  const end = ends[version.split('.')[0] ?? ''];
  if (end === undefined || end >= today) return ok(`Strapi ${version} gets fixes`);
  return problem(
    `Strapi ${version} has got no fixes since ${end}, and never will`,
    'move the project: docs/coming-from-strapi.md',
  );
}

/** Returns the finding of a flaw; null if no package of the project has it. */
function exposureOf(flaw: PublishedFlaw, versions: ReadonlyMap<string, string>, files: Files): NamedFinding | null {
  const hit = flaw.affected.find(({ package: name, range }) => {
    const version = versions.get(name);
    return version !== undefined && isInRange(version, range);
  });
  if (hit === undefined || closedBy(flaw, files)) return null;
  const version = versions.get(hit.package) ?? '';
  const isHigh = flaw.severity === 'critical' || flaw.severity === 'high';
  const text = `${flaw.severity}, ${hit.package} ${version}: ${[flaw.what, flaw.note ?? []].flat().map(withoutPoint).join('. ')}`;
  const remedy = `${untilThen(flaw, version)}; after moving: ${withoutPoint(flaw.here)}`;
  return { name: flaw.id, ...(isHigh ? problem(text, remedy) : advice(text, remedy)) };
}

const withoutPoint = (sentence: string): string => sentence.replace(/\.$/, '');

/** Returns what helps before the project is moved. */
function untilThen({ affected }: PublishedFlaw, version: string): string {
  const hasFix = affected.every(({ range }) => !isInRange(last, range));
  return hasFix && compareVersions(version, last) < 0 ? `until then, update to ${last}` : 'no release of v4 has a fix';
}

/** Returns whether the configuration closes a flaw. */
function closedBy({ id }: PublishedFlaw, files: Files): boolean {
  if (id !== 'CVE-2025-53092' || typeof files === 'string' || !Array.isArray(files['middlewares'])) return false;
  const cors = files['middlewares'].find((one: unknown) => isRecord(one) && one['name'] === 'strapi::cors') as Values | undefined;
  const { origin } = isRecord(cors?.['config']) ? cors['config'] : {};
  return origin !== undefined && origin !== '*' && !(Array.isArray(origin) && origin.includes('*'));
}

function pluginsOf(directory: string, files: Files): Finding {
  if (typeof files === 'string') return unknown('plugins of others were not looked for, because config/ was not read');
  const names = findPlugins(directory, files['plugins']).map(({ name }) => name);
  if (names.length > 0)
    return advice(
      `code of plugins of others: ${nameSome(names)}`,
      'it runs after moving too, with all rights: ask npm audit about it',
    );
  const missing = missingPackages(directory);
  return missing.length === 0
    ? ok('no plugin of others has code that runs')
    : unknown(`whether these packages are plugins, because they are not installed: ${nameSome(missing)}`);
}
