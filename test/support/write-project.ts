import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Texts of files by their path in a project. */
export type ProjectFiles = Readonly<Record<string, string>>;

const manifest = JSON.stringify({ name: 'project', dependencies: { '@strapi/strapi': '4.25.1' } });

const written: string[] = [];
after(() => Promise.all(written.splice(0).map((directory) => rm(directory, { recursive: true }))));

/** Writes a Strapi project into a folder of its own, and returns the folder; it is deleted after the tests. */
export async function writeProject(files: ProjectFiles): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mangrove-project-'));
  written.push(directory);
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files })) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}
