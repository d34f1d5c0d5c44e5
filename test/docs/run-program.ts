import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { compileProject, installClient } from '../client/client-project.js';

/** A program in TypeScript that a page shows. */
interface ShownProgram {
  readonly file: string;
  readonly text: string;
}

interface Project {
  readonly directory: string;
  /** The service that stands for http://localhost:1337. */
  readonly url: string;
}

/** The declarations that programs of pages may use: more would cost the compiler a second per program. */
const surroundings = `
declare const console: { log(...values: readonly unknown[]): void };
declare class AbortController { signal: { aborted: boolean; addEventListener(type: string, listener: () => void): void; removeEventListener(type: string, listener: () => void): void }; abort(): void; }
declare const localStorage: { getItem(name: string): string | null; setItem(name: string, value: string): void };
declare class File { constructor(parts: readonly string[], name: string, options: object); size: number; type: string; arrayBuffer(): Promise<ArrayBuffer>; }
`;

/** Compiles a program of a page strictly, runs it, and returns what it prints. */
export async function runProgram({ file, text }: ShownProgram, { directory, url }: Project): Promise<string> {
  const target = path.join(directory, file);
  await mkdir(path.dirname(target), { recursive: true });
  if (!existsSync(path.join(directory, 'node_modules/mangrove'))) await installClient(directory);
  await writeFile(path.join(directory, 'surroundings.d.ts'), surroundings);
  await writeFile(target, text);
  const options = { module: ts.ModuleKind.NodeNext, lib: ['lib.es2022.d.ts'] };
  expect(compileProject(directory, [file, 'surroundings.d.ts'], options)).to.deep.equal([]);
  const compilerOptions = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(text.replaceAll('http://localhost:1337', url), { compilerOptions });
  const compiled = `${target}.mjs`; // tsx takes walks.ts for walks.js
  await writeFile(compiled, outputText);
  return printed(() => import(pathToFileURL(compiled).href));
}

/** Returns what work prints. It finds a localStorage, as in browsers. */
async function printed(work: () => Promise<unknown>): Promise<string> {
  const { log } = console;
  const lines: string[] = [];
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  };
  console.log = (...values: readonly unknown[]) => lines.push(`${values.map(String).join(' ')}\n`);
  Object.assign(globalThis, { localStorage });
  try {
    await work();
    return lines.join('');
  } finally {
    console.log = log;
    Reflect.deleteProperty(globalThis, 'localStorage');
  }
}
