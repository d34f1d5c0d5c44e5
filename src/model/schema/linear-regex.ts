import { memoize } from '#base/caches.js';
import { createRequire } from 'node:module';
import type * as engine from 're2js';
import type * as detector from 'redos-detector';

/** Returns whether a string matches, in linear time. */
type Matcher = (text: string) => boolean;

/**
 * Maximum steps of the proof that a pattern does not backtrack without bounds, which take less than a second. A time limit would
 * depend on the machine.
 */
const proofSteps = 5_000;

/**
 * Returns whether a text matches the pattern of an attribute. Patterns run on an engine without backtracking (1 µs for a short
 * text); those that it cannot run, because of lookarounds or references, were proven to be harmless when their model was checked.
 */
export const matches = (regex: RegExp, text: string): boolean => matcherOf(regex)(text);

const matcherOf = memoize((regex: RegExp): Matcher => linearMatcher(regex.source) ?? ((text) => regex.test(text)));

/** Returns whether a pattern may take unbounded time for some strings, and cannot be run in linear time. */
export const isUnbounded = (source: string): boolean => linearMatcher(source) === null && !isHarmless(source);

/**
 * Returns a matcher without backtracking; null if the pattern has none. The package is loaded with the first pattern, because
 * loading takes 2 MB and 100 ms, and few models have patterns.
 */
function linearMatcher(source: string): Matcher | null {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof engine; // typed by the import above
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    return (text) => pattern.matcher(text).find();
  } catch {
    return null;
  }
}

function isHarmless(source: string): boolean {
  const { isSafePattern } = createRequire(import.meta.url)('redos-detector') as typeof detector; // typed by the import above
  try {
    return isSafePattern(source, { maxSteps: proofSteps }).safe;
  } catch {
    return false;
  }
}
