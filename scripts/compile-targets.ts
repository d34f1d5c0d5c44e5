import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** This checkout. */
export const ownRoot = path.resolve(import.meta.dirname, '..');

/** The options of Node with which `npm start` runs the product. The baseline gets them as well; Strapi runs as it ships. */
export const nodeOptions = readNodeOptions();

function readNodeOptions(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ownRoot, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.split(' ').filter((part) => part.startsWith('--'));
}

/** Compiles the product and the targets of a checkout to dist/: what runs under load is plain JavaScript, as it is installed. */
export async function compileTargets(root: string): Promise<void> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [compiler, '-p', path.join(root, 'scripts/bench/tsconfig.json')], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the targets of ${root} could not be compiled`);
}
