import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getFormattedTokens } from 'sucrase';
import { lineIn, sourceEndings } from '#settings/load-source.js';
import type { CodePlace } from '#strapi/load/code-problems.js';

interface PlaceInput {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly environment: string;
  /** The errors that files threw, by the message about them. */
  readonly causes: ReadonlyMap<string, unknown>;
  /** The places of messages about code. */
  readonly places: ReadonlyMap<string, CodePlace>;
}

/**
 * Returns a message with the file and line that it is about: `config/api.js:3: …`. The line is left out unless the error, the parser
 * or a single key tells it.
 */
export function withPlace(message: string, input: PlaceInput): string {
  if (isSetByVariable(message)) return message;
  const { directory, places, causes } = input;
  const place = places.get(message);
  const [, named, rest = ''] = /^([\w./@-]+\.(?:[cm]?[jt]s|json)): (.*)$/s.exec(message) ?? [];
  const file = named ?? place?.file;
  if (file === undefined || !existsSync(join(directory, file))) return message;
  const text = named === undefined ? message : rest;
  const source = readFileSync(join(directory, file), 'utf8');
  const line = place?.line ?? lineOfParser(text, source) ?? lineIn(causes.get(message), file);
  if (line !== null) return `${file}:${String(line)}: ${text}`;
  if (place?.object !== undefined) return placed(file, lineOfObject(source, place.object), text);
  const key = keyIn(text);
  if (key === null) return `${file}: ${text}`;
  const owner = ownerOf(file, key, input);
  return placed(owner, findKey(owner, key, directory), text);
}

const placed = (file: string, line: number | null, text: string): string =>
  `${file}${line === null ? '' : `:${String(line)}`}: ${text}`;

/** Returns the line that the message of a parser names; null if it names none. */
function lineOfParser(text: string, source: string): number | null {
  const [, line] = /\(line (\d+)(?: column \d+)?\)|\((\d+):\d+\)/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (line !== undefined) return Number(line);
  const [, position] = /in JSON at position (\d+)/.exec(text) ?? [];
  return position === undefined ? null : source.slice(0, Number(position)).split('\n').length;
}

/** Returns whether an environment variable sets what a message is about, so that no file does. */
function isSetByVariable(message: string): boolean {
  const [, name] = /\(environment variable (\w+)\)$/.exec(message) ?? [];
  return name !== undefined && process.env[name] !== undefined;
}

/** Returns the key that a message begins with. */
const keyIn = (text: string): string | null => /^(?:unknown key )?([\w$-]+(?:\.[\w$-]+)*)[ :]/.exec(text)?.[1] ?? null;

/** Returns the file that sets a key: that of the environment, if it has the key, otherwise the given one. */
function ownerOf(file: string, key: string, { directory, environment }: PlaceInput): string {
  const [, section] = /^config\/(\w+)\.\w+$/.exec(file) ?? [];
  if (section === undefined) return file;
  const over = [...sourceEndings, '.json'].map((ending) => `config/env/${environment}/${section}${ending}`);
  return over.find((path) => existsSync(join(directory, path)) && findKey(path, key, directory) !== null) ?? file;
}

function findKey(file: string, key: string, directory: string): number | null {
  const source = readFileSync(join(directory, file), 'utf8');
  return lineOfKey(source, key) ?? lineOfKey(source, `attributes.${key}`);
}

/** A key of an object in a file, such as `rest.maxLimit`. */
interface Entry {
  /** The keys from the outermost object. */
  readonly path: string;
  /** The text after the key; null if its value is something else. */
  readonly text: string | null;
  readonly line: number;
  /** Index of the object that has the key. */
  readonly object: number;
}

/** Returns the line of a key in the text of a file; null if there is none, or several. */
const lineOfKey = (source: string, path: string): number | null => only(entriesOf(source).filter((entry) => entry.path === path));

/** Returns the line of the object with these texts; null if there is none, or several. */
function lineOfObject(source: string, texts: Readonly<Record<string, string>>): number | null {
  const entries = entriesOf(source);
  const has = (object: number, [key, text]: readonly [string, string]): boolean =>
    entries.some((entry) => entry.object === object && entry.text === text && entry.path.split('.').at(-1) === key);
  const found = [...new Set(entries.map(({ object }) => object))].filter((object) =>
    Object.entries(texts).every((pair) => has(object, pair)),
  );
  const [last = ''] = Object.keys(texts).slice(-1);
  return found.length === 1
    ? (entries.find(({ object, path }) => object === found[0] && path.endsWith(last))?.line ?? null)
    : null;
}

const only = ([first, ...others]: readonly Entry[]): number | null => (others.length === 0 ? (first?.line ?? null) : null);

/** A bracket that is open, with the keys that lead to it. */
interface Frame {
  readonly path: readonly string[];
  readonly object: number;
  /** The key whose value is being read; null if there is none. */
  key: string | null;
}

/** Returns the keys of all objects in a source, which may be JSON; none if it cannot be parsed. */
function entriesOf(source: string): readonly Entry[] {
  const frames: Frame[] = [{ path: [], object: 0, key: null }];
  const entries: Entry[] = [];
  const tokens = tokensOf(source);
  for (const [index, { raw, isKey, line }] of tokens.entries()) {
    const frame = frames.at(-1);
    if (frame === undefined) break;
    const path = frame.key === null ? frame.path : [...frame.path, frame.key];
    if (isKey && tokens[index + 1]?.raw === ':') {
      frame.key = unquoted(raw) ?? raw;
      const value = unquoted(tokens[index + 2]?.raw ?? '');
      entries.push({ path: [...frame.path, frame.key].join('.'), text: value, line, object: frame.object });
    } else if (/^(?:[{[(]|\$\{)$/.test(raw)) frames.push({ path, object: index + 1, key: null });
    else if (/^[}\])]$/.test(raw)) frames.pop();
    else if (raw === ',') frame.key = null;
  }
  return entries;
}

const unquoted = (raw: string): string | null => /^(["'])(.*)\1$/.exec(raw)?.[2] ?? null;

interface Token {
  readonly raw: string;
  readonly line: number;
  readonly isKey: boolean;
}

/** The role of keys in the list of tokens that sucrase prints. */
const keyRole = '10';

function tokensOf(source: string): readonly Token[] {
  const text = /^\s*[{[]/.test(source) ? `(${source.trimEnd()})` : source; // JSON is an expression
  const lines = text.split('\n');
  const printed = tokensIn(text).split('\n');
  const column = printed[0]?.indexOf('identifierRole') ?? 0;
  return printed.slice(1).flatMap((row) => {
    const [, line, from, endLine, to] = /^(\d+):(\d+)-(\d+):(\d+)/.exec(row)?.map(Number) ?? [];
    if (line === undefined || from === undefined || to === undefined) return [];
    const raw = line === endLine ? (lines[line - 1]?.slice(from - 1, to - 1) ?? '') : '';
    return [{ raw, line, isKey: row.slice(column).split(' ', 1)[0] === keyRole }];
  });
}

function tokensIn(text: string): string {
  try {
    return getFormattedTokens(text, { transforms: ['typescript', 'imports'] });
  } catch {
    return '';
  }
}
