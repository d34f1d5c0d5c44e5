import { copyFile, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type OutputFile } from 'esbuild';
import { packageRoot } from '#base/package-root.js';

/** The compiled sources of the tests: as deep as those of the package, so that they find its other files. */
const folder = join(packageRoot, 'dist/test');

let compiled: Promise<void> | undefined;

/**
 * Returns words for Node that run the program, in any working directory. Compiled sources start in half the time that tsx takes to read
 * them.
 */
export async function program(): Promise<readonly string[]> {
  const module = await sourceUrl('operate/cli/program.ts');
  const code = `const { runProgram } = await import(${JSON.stringify(module)});
    process.exitCode = await runProgram(process.argv.slice(1));`;
  return ['--input-type=module', '--eval', code, '--'];
}

/** Returns the address of the compiled form of a file of `src`. */
export async function sourceUrl(file: string): Promise<string> {
  await (compiled ??= compileSources());
  return pathToFileURL(join(folder, file.replace(/\.ts$/, '.js'))).href;
}

const src = join(packageRoot, 'src');

/** It is written last. Its time is that of the sources which are compiled. */
const manifest = join(folder, 'package.json');

/** Compiles all sources, unless another process has since the last of them changed. */
async function compileSources(): Promise<void> {
  const begun = new Date();
  if (await isCompiled()) return;
  const entries = { entryPoints: [join(src, '**/*.ts')], outbase: src, outdir: folder };
  const { outputFiles } = await build({ ...entries, format: 'esm', platform: 'node', target: 'node20', write: false });
  await Promise.all(outputFiles.map(store));
  await copyFile(join(src, 'package.json'), manifest);
  await utimes(manifest, begun, begun);
}

async function isCompiled(): Promise<boolean> {
  const compiledAt = await stat(manifest).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  const names = await readdir(src, { recursive: true });
  const sources = await Promise.all(names.map((name) => stat(join(src, name))));
  return sources.every(({ mtimeMs }) => mtimeMs < compiledAt);
}

/** Others may be reading the file: it is replaced as a whole, and only if it has changed. */
async function store({ path, contents, text }: OutputFile): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => null)) === text) return;
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${String(process.pid)}`;
  await writeFile(written, contents);
  await rename(written, path);
}
