import type { transform } from 'sucrase';

type Transform = typeof transform;

/** The head of a namespace of TypeScript that is no declaration of types. */
const head = /(?<![\w$.])(export\s+)?(?<!\bdeclare\s+)namespace\s+([A-Za-z_$][\w$]*)((?:\s*\.\s*[A-Za-z_$][\w$]*)*)\s*\{/g;

/**
 * Returns TypeScript whose namespaces with values are functions that run at once, because sucrase erases them. Those with types alone
 * stay. Positions of lines stay.
 */
export function withNamespaces(text: string, transform: Transform): string {
  let result = text;
  let from = 0;
  for (;;) {
    head.lastIndex = from;
    const found = head.exec(result);
    if (found === null) return result;
    const replaced = replaceAt(result, found, transform);
    from = replaced === null ? found.index + found[0].length : replaced.end;
    result = replaced?.text ?? result;
  }
}

/** Returns the text with a function in place of a namespace, and where it ends; null if the namespace has no values, or is none. */
function replaceAt(
  text: string,
  found: RegExpExecArray,
  transform: Transform,
): { readonly text: string; readonly end: number } | null {
  const [whole, exported = '', name = '', below = ''] = found;
  const start = found.index + whole.length;
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    const inner = text.slice(start, end);
    const body = below === '' ? inner : `export namespace ${below.trim().slice(1)} {${inner}}`;
    const code = valuesOf(body, transform);
    const [before, after] = [text.slice(0, found.index), text.slice(end + 1)];
    if (code === null || !isErased({ text, without: before + after }, transform)) continue;
    if (code === '') return null;
    const called = `${before}${exported}var ${name} = (function (exports) {${code};return exports})(${name} || {});`;
    return { text: called + after, end: called.length };
  }
  return null;
}

/** Returns the body of a namespace as code that adds to `exports`; an empty text without values, and null if it is no whole body. */
function valuesOf(body: string, transform: Transform): string | null {
  const types = compiled(body, transform);
  if (types === null) return null;
  const values = withNamespaces(body, transform);
  if (values === body && isEmpty(types)) return '';
  const code = transform(values, { transforms: ['typescript', 'imports'], disableESTransforms: true }).code;
  return code.replace(/^"use strict";(?:Object\.defineProperty\(exports, "__esModule", \{value: true\}\);)?/, '');
}

/** Returns whether sucrase takes away what a text is without, which it does with namespaces, but not in strings and comments. */
function isErased({ text, without }: Readonly<Record<'text' | 'without', string>>, transform: Transform): boolean {
  const [whole, rest] = [text, without].map((one) => compiled(one, transform)?.replace(/\s/g, ''));
  return whole !== undefined && whole === rest;
}

const isEmpty = (code: string): boolean => code.replace(/\/\/.*|\/\*[^]*?\*\/|export\s*\{\s*\}|[;\s]/g, '') === '';

/** Returns the code without types; null if it cannot be parsed. */
function compiled(text: string, transform: Transform): string | null {
  try {
    return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
  } catch {
    return null;
  }
}
