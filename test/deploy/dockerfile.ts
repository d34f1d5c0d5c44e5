import { spawn } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { basename, join, relative } from 'node:path';
import { packageRoot } from '#base/package-root.js';

/** An instruction of the Dockerfile, such as `RUN npm run build`. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of each stage of the Dockerfile, without comments. */
export function readStages(): readonly (readonly Instruction[])[] {
  const text = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const instructions = [...text.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', rest = '']) => ({ name, text: rest }));
  const stages: Instruction[][] = [];
  for (const instruction of instructions)
    if (instruction.name === 'FROM') stages.push([]);
    else stages.at(-1)?.push(instruction);
  return stages;
}

/** Returns the names at the top of the repository that .dockerignore admits. */
const admitted = (): readonly string[] =>
  readFileSync(join(packageRoot, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).replace(/\/$/, ''));

/** Copies what `COPY . .` copies. */
export function copyContext(target: string): void {
  const filter = (path: string): boolean =>
    !/^(data$|\.env)/.test(basename(path)) && !relative(packageRoot, path).includes('node_modules');
  for (const name of admitted()) cpSync(join(packageRoot, name), join(target, name), { recursive: true, filter });
}

/** Copies what `COPY [--from=build] SOURCE... TARGET` copies from one folder to another. */
export function copyNamed(text: string, from: string, to: string): void {
  const words = text.split(' ').filter((word) => !word.startsWith('--'));
  const target = words.pop() ?? '';
  for (const source of words.map((word) => word.replace('/srv/mangrove/', ''))) {
    const path = join(to, target.endsWith('/') ? join(target, basename(source)) : target);
    cpSync(join(from, source), path, { recursive: true, verbatimSymlinks: true });
  }
}

const nobody = 65_534;

/** The user that commands run as: one without rights if the tests run as root. */
export const user: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Gives a folder with everything in it to the user. */
export function giveTo(folder: string): void {
  if (user.uid === undefined) return;
  for (const path of [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))])
    chownSync(path, nobody, nobody);
}

export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command as the user. Rejects with its output if it fails. */
export async function run(words: readonly string[], { cwd, env }: Place): Promise<string> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd, env, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => output.push(data));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = Buffer.concat(output).toString();
  if (code !== 0) throw new Error(`${words.join(' ')} has failed (${String(code)}):\n${text.slice(-2_000)}`);
  return text;
}

/** Makes a folder of the user, and returns its path. */
export function makeFolder(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  if (user.uid !== undefined) chownSync(path, nobody, nobody);
  return path;
}
