import ts from 'typescript';
import { walkNodes, type Source } from './project.js';

/** The distribution of a number over files or functions. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly p90: number;
  readonly max: number;
}

/** Median, 90th percentile and maximum of a list; zeros for an empty one. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, median: at(0.5), p90: at(0.9), max: sorted.at(-1) ?? 0 };
}

/** Lines of a file, the empty one after the last line break not counted. */
export const linesOf = ({ text }: ts.SourceFile): number => text.replace(/\n$/, '').split('\n').length;

/** Lines of each function that has a name or a body in braces, from its first to its last, blank lines and comments included. */
export const functionLines = (sources: readonly Source[]): readonly number[] =>
  sources.flatMap(({ file }) => {
    const lengths: number[] = [];
    walkNodes(file, (node) => {
      if (counts(node)) lengths.push(lineOf(file, node.end) - lineOf(file, node.getStart(file)) + 1);
    });
    return lengths;
  });

/** Whether a node is a function other than a callback of one expression. */
function counts(node: ts.Node): boolean {
  if (ts.isArrowFunction(node)) return ts.isBlock(node.body) || ts.isVariableDeclaration(node.parent);
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

const lineOf = (file: ts.SourceFile, position: number): number => file.getLineAndCharacterOfPosition(position).line;
