import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Advisory, advisoryFile, readAdvisories } from '../src/admin/front-end/advisories.js';
import { findPanelPackages } from '../src/admin/front-end/panel-packages.js';

/**
 * Rewrites panel/advisories.json by what the registry of npm says of the packages of the panel, as they are installed in the cache. What
 * closes an advisory is kept by its id. Leaves the file as it is, and fails, if the registry does not answer.
 */
const known = readAdvisories();
const project = await mkdtemp(join(tmpdir(), 'mangrove-advisories-'));
const { panel } = await findPanelPackages(project, console.error).finally(() => rm(project, { recursive: true }));

const versions = await installedVersions(panel);
const answer = await ask(versions);
const kept = new Map(known.advisories.map((one) => [one.id, one]));
const found = Object.entries(answer).flatMap(([name, list]) =>
  list.map((one): Advisory => {
    const id = /GHSA(-\w{4}){3}/.exec(one.url)?.[0] ?? String(one.id);
    const { title, closed } = { title: one.title, ...kept.get(id) };
    const severity = one.severity === 'info' ? 'low' : one.severity;
    return { id, package: name, severity, range: one.vulnerable_versions, title, source: one.url, ...(closed && { closed }) };
  }),
);
const others = known.advisories.filter(({ id }) => !id.startsWith('GHSA-')); // the registry has none but those of GitHub
const advisories = [...others, ...found.sort((a, b) => (a.package + a.id < b.package + b.id ? -1 : 1))];
const lookedUp = new Date().toISOString().slice(0, 10);
await writeFile(advisoryFile, `${JSON.stringify({ lookedUp, advisories }, null, 2)}\n`);
spawnSync('npx', ['prettier', '--write', advisoryFile], { stdio: 'ignore', shell: process.platform === 'win32' });
console.log(`${String(found.length)} advisories of ${String(Object.keys(versions).length)} packages`);

/** An advisory as the registry answers it. */
interface Answered {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly severity: Advisory['severity'] | 'info';
  readonly vulnerable_versions: string;
}

/** Returns the versions of all installed packages by name. */
async function installedVersions(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const all = new Map<string, Set<string>>();
  for (const [path, { version }] of Object.entries(lock.packages)) {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (name !== '' && version !== undefined) all.set(name, (all.get(name) ?? new Set()).add(version));
  }
  return Object.fromEntries([...all].map(([name, set]) => [name, [...set]]));
}

async function ask(body: object): Promise<Readonly<Record<string, readonly Answered[]>>> {
  const { stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', shell: process.platform === 'win32' });
  const address = new URL('-/npm/v1/security/advisories/bulk', stdout.trim());
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok)
    throw new Error(
      `the registry answers ${String(response.status)} to the question for advisories; panel/advisories.json stays as it is`,
    );
  return (await response.json()) as Readonly<Record<string, readonly Answered[]>>;
}
