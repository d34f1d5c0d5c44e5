import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#base/package-root.js';
import { isRecord } from '#base/values.js';
import { isInRange } from '#base/version-range.js';

/** A published flaw of a package that the panel is built from. */
export interface Advisory {
  readonly id: string;
  readonly package: string;
  readonly severity: 'critical' | 'high' | 'moderate' | 'low';
  /** Versions with the flaw, as `isInRange` reads them. */
  readonly range: string;
  readonly title: string;
  readonly source: string;
  /** What closes it, and the module that a bundle must have, or lack, for that. `policy`: the directive that closes it by itself. */
  readonly closed?: { readonly by: string; readonly with?: string; readonly without?: string; readonly policy?: string };
}

interface Advisories {
  /** The day on which they were looked up. */
  readonly lookedUp: string;
  readonly advisories: readonly Advisory[];
}

/** The file with the advisories, which `npm run advisories` writes. */
export const advisoryFile = join(packageRoot, 'panel/advisories.json');

export const readAdvisories = (): Advisories => JSON.parse(readFileSync(advisoryFile, 'utf8')) as Advisories; // shipped with the package

/** An advisory of a version that is installed; `closedBy` is null if it stays. */
interface MetAdvisory {
  readonly advisory: Advisory;
  readonly version: string;
  readonly closedBy: string | null;
}

const severities = ['critical', 'high', 'moderate', 'low'] as const;

/**
 * Returns the advisories of what is installed in a folder of packages, and whether they reach a bundle, the severest first. `inputs` are the
 * modules of the bundle.
 */
export function metAdvisories(
  advisories: readonly Advisory[],
  folder: string,
  inputs: readonly string[],
): readonly MetAdvisory[] {
  const bundled = versionsIn(inputs);
  const metAdvisories = advisories.flatMap((advisory): MetAdvisory[] => {
    const meets = (version: string): boolean => isInRange(version, advisory.range);
    const version = [...(bundled.get(advisory.package) ?? [])].find(meets);
    if (version !== undefined) return [{ advisory, version, closedBy: closedBy(advisory, inputs) }];
    const installed = versionOf(join(folder, 'node_modules', advisory.package));
    if (installed === null || !meets(installed)) return [];
    return [{ advisory, version: installed, closedBy: closedBy(advisory, inputs) ?? 'the package is not part of the panel' }];
  });
  return metAdvisories.sort((a, b) => severities.indexOf(a.advisory.severity) - severities.indexOf(b.advisory.severity));
}

/** Returns what closes an advisory in a bundle; null if nothing does. */
function closedBy({ closed }: Advisory, inputs: readonly string[]): string | null {
  if (closed === undefined) return null;
  const has = (module: string): boolean => inputs.some((path) => path.endsWith(module));
  const isClosed = (closed.with === undefined || has(closed.with)) && (closed.without === undefined || !has(closed.without));
  return isClosed ? closed.by : null;
}

/** Returns the versions of the packages that modules belong to, by name. */
export function versionsIn(inputs: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Set(inputs.flatMap((path) => /^((?:[^(]*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const versions = new Map<string, Set<string>>();
  for (const folder of folders) {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const version = versionOf(folder);
    if (version !== null) versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return versions;
}

/** Returns the version of a package by its folder; null if there is none. */
function versionOf(folder: string): string | null {
  const file = join(folder, 'package.json');
  const manifest: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  return isRecord(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null;
}

/** Returns lines that say which advisories are closed, by what, and which stay. */
export function describeAdvisories({ lookedUp }: Advisories, met: readonly MetAdvisory[]): readonly string[] {
  const stays = met.filter((one) => one.closedBy === null);
  const lines = [...stays, ...met.filter((one) => one.closedBy !== null)].map(({ advisory, version, closedBy: by }) => {
    const { id, severity, title } = advisory;
    const state = by === null ? 'stays ' : 'closed';
    return `  ${state} ${severity.padEnd(8)} ${id} ${advisory.package} ${version}: ${title}${by === null ? '' : `; ${by}`}`;
  });
  const closed = met.length - stays.length;
  return [
    `${String(met.length)} advisories (${lookedUp}) of the packages: ${String(closed)} closed, ${String(stays.length)} stay`,
    ...lines,
  ];
}
