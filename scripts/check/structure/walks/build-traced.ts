import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { Project } from '../project.js';

/**
 * Compiles the src of a project into dist/structure, so that every function calls the global `trace` with the index of its file
 * among the sources. Returns the folder.
 */
export function buildTraced({ root, program, sources }: Project): string {
  const folder = join(root, 'dist/structure');
  rmSync(folder, { recursive: true, force: true });
  const compilerOptions = { ...program.getCompilerOptions(), module: ts.ModuleKind.ESNext, sourceMap: false };
  for (const [index, { name, file }] of sources.entries()) {
    const { outputText } = ts.transpileModule(file.text, { compilerOptions, fileName: file.fileName });
    const path = join(folder, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, traceFunctions(outputText, index));
  }
  copyFileSync(join(root, 'src/package.json'), join(folder, 'package.json'));
  return folder;
}

/** Makes every function of a JavaScript text call `trace(index)` first. */
export function traceFunctions(text: string, index: number): string {
  const file = ts.createSourceFile('traced.js', text, ts.ScriptTarget.ES2022, true);
  const call = `trace(${String(index)});`;
  const insertions = collectInsertions(file, call).sort((a, b) => a.at - b.at);
  const [written, end] = insertions.reduce(
    ([before, from], { at, inserted }) => [before + text.slice(from, at) + inserted, at] as const,
    ['', 0] as readonly [string, number],
  );
  return written + text.slice(end);
}

interface Insertion {
  readonly at: number;
  readonly inserted: string;
}

function collectInsertions(file: ts.SourceFile, call: string): Insertion[] {
  const insertions: Insertion[] = [];
  const visit = (node: ts.Node): void => {
    const body = bodyOf(node);
    if (body !== null && ts.isBlock(body)) insertions.push({ at: body.getStart(file) + 1, inserted: call });
    else if (body !== null) insertions.push({ at: body.getStart(file), inserted: `(${call.replace(';', '')}, ` });
    ts.forEachChild(node, visit);
    // An expression is closed after those inside it, which may end at the same place.
    if (body !== null && !ts.isBlock(body)) insertions.push({ at: body.end, inserted: ')' });
  };
  visit(file);
  return insertions;
}

const bodyOf = (node: ts.Node): ts.ConciseBody | null =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined ? (node.body as ts.ConciseBody) : null;
