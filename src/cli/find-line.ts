import { getFormattedTokens } from 'sucrase';

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
export const lineOfKey = (source: string, path: string): number | null =>
  only(entriesOf(source).filter((entry) => entry.path === path));

/** Returns the line of the object with these texts; null if there is none, or several. */
export function lineOfObject(source: string, texts: Readonly<Record<string, string>>): number | null {
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
  const printed = print(text).split('\n');
  const column = printed[0]?.indexOf('identifierRole') ?? 0;
  return printed.slice(1).flatMap((row) => {
    const [, line, from, endLine, to] = /^(\d+):(\d+)-(\d+):(\d+)/.exec(row)?.map(Number) ?? [];
    if (line === undefined || from === undefined || to === undefined) return [];
    const raw = line === endLine ? (lines[line - 1]?.slice(from - 1, to - 1) ?? '') : '';
    return [{ raw, line, isKey: row.slice(column).split(' ', 1)[0] === keyRole }];
  });
}

function print(text: string): string {
  try {
    return getFormattedTokens(text, { transforms: ['typescript', 'imports'] });
  } catch {
    return '';
  }
}
