import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#base/package-root.js';

/** A fenced block of a page, with the words behind its opening fence. */
export interface Block {
  readonly language: string;
  /** The second word: a file that the block shows. */
  readonly file: string | undefined;
  readonly text: string;
}

/** One thing that a page shows, in the order of the page. `answer` is the JSON block after a request, `output` the text after a program. */
export type Example =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'request'; readonly words: readonly string[]; readonly answer: unknown }
  | { readonly kind: 'graphql'; readonly query: string; readonly answer: unknown }
  | { readonly kind: 'mongosh'; readonly code: string }
  | { readonly kind: 'file'; readonly file: string; readonly text: string }
  | { readonly kind: 'program'; readonly file: string; readonly text: string; readonly output: string };

/** Paths of all pages, from the root of the repository. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(packageRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const readPage = (page: string): string => readFileSync(join(packageRoot, page), 'utf8');

/** The fenced blocks of a page. */
export const readBlocks = (page: string): readonly Block[] =>
  [...readPage(page).matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language = '', file, text = '']) => ({
    language,
    file,
    text,
  }));

/** Returns the runnable blocks of a page. Blocks of other languages are listings. */
export function readExamples(page: string): readonly Example[] {
  const blocks = readBlocks(page);
  return blocks.flatMap((block, index) => examplesOf(block, blocks[index + 1]));
}

function examplesOf({ language, file, text }: Block, next: Block | undefined): readonly Example[] {
  const answer = readAnswer(next);
  if (language === 'ts' && file?.startsWith('app/') === true)
    return [{ kind: 'program', file, text, output: next?.language === 'text' ? next.text : '' }];
  if (file !== undefined) return [{ kind: 'file', file, text }];
  if (language === 'graphql') return [{ kind: 'graphql', query: text, answer }];
  if (language === 'js') return [{ kind: 'mongosh', code: text }];
  if (language !== 'sh') return [];
  const lines = splitLines(text);
  return lines.map((line, index) => commandOf(splitWords(line), index === lines.length - 1 ? answer : undefined));
}

const commandOf = (words: readonly string[], answer: unknown): Example =>
  words[0] === 'curl' ? { kind: 'request', words, answer } : { kind: 'command', words };

const readAnswer = (next: Block | undefined): unknown =>
  next?.language === 'json' && next.file === undefined ? JSON.parse(next.text) : undefined;

/** The commands of a block: a line goes on after a backslash and inside of quotes. */
const splitLines = (text: string): readonly string[] =>
  text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .match(/(?:'[^']*'|"[^"]*"|[^\n'"])+/g) ?? [];

/** The words of a shell command: quotes are taken off, a comment at the end is left out, variables stay. */
export const splitWords = (line: string): readonly string[] =>
  [...line.replace(/\s+# .*$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );

/** Whether an answer is as a page shows it: `"…"` stands for any value, and as a key for any further keys or entries. */
export function isShown(shown: unknown, actual: unknown): boolean {
  if (shown === '…') return actual !== undefined;
  if (Array.isArray(shown)) return Array.isArray(actual) && isShownList(shown, actual);
  if (typeof shown !== 'object' || shown === null) return shown === actual;
  if (typeof actual !== 'object' || actual === null) return false;
  const keys = Object.keys(shown).filter((key) => key !== '…');
  const hasAll = keys.every((key) => isShown(Reflect.get(shown, key), Reflect.get(actual, key)));
  return hasAll && ('…' in shown || Object.keys(actual).length === keys.length);
}

function isShownList(shown: readonly unknown[], actual: readonly unknown[]): boolean {
  const isOpen = shown.at(-1) === '…';
  const listed = isOpen ? shown.slice(0, -1) : shown;
  return (isOpen || actual.length === listed.length) && listed.every((value, index) => isShown(value, actual[index]));
}
