import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isRecord } from '#base/values.js';

/** The part of a source map that says where the code of a file comes from. */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** A source in a folder called `ee`, which has another license than MIT. */
const isEnterprise = (source: string): boolean => /(^|[\\/])ee[\\/]/.test(source);

/** How much of a file comes from folders called `ee`, and the numbers of its lines that do, from 1, if it is a part. */
export type EnterpriseShare =
  { readonly kind: 'none' } | { readonly kind: 'whole' } | { readonly kind: 'part'; readonly lines: ReadonlySet<number> };

/**
 * Returns how much of a file of the panel comes from folders called `ee`. Throws an Error if the file has no source map, because nothing
 * else says it.
 */
export async function enterpriseShare(file: string): Promise<EnterpriseShare> {
  const { sources, mappings } = await readMap(`${file}.map`);
  const found = sources.map(isEnterprise);
  if (!found.includes(true)) return { kind: 'none' };
  if (!found.includes(false)) return { kind: 'whole' };
  const lines = sourceOfLines(mappings);
  return { kind: 'part', lines: new Set([...lines].flatMap(([line, source]) => (found[source] === true ? [line] : []))) };
}

async function readMap(file: string): Promise<SourceMap> {
  const map: unknown = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : null;
  if (isRecord(map) && Array.isArray(map['sources']) && typeof map['mappings'] === 'string') return map as unknown as SourceMap; // checked
  throw new Error(`${file} is missing or no source map, so that it is not known which code of the panel is under which license`);
}

/** Returns the index of the source of the first segment of each line that has one, by the number of the line, from 1. */
function sourceOfLines(mappings: string): ReadonlyMap<number, number> {
  const first = new Map<number, number>();
  let source = 0;
  for (const [index, line] of mappings.split(';').entries())
    for (const segment of line.split(',').filter((one) => one !== '')) {
      source += numbersIn(segment)[1] ?? 0;
      if (!first.has(index + 1)) first.set(index + 1, source);
    }
  return first;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns the numbers of a segment: each has five bits a digit, the lowest first, and its sign in the lowest bit. */
function numbersIn(segment: string): readonly number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits > 31) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
