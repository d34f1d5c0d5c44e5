import { operators } from './operators.js';
import type { Test } from './plan.js';

/** A regular expression that MongoDB and JavaScript read alike. */
export interface TextPattern {
  readonly source: string;
  readonly flags: '' | 'i';
}

/** Whether a test compares the text of a value, whatever it is stored as. */
export const comparesText = (test: Test): test is TextTest => operators[test].text !== undefined;

export type TextTest = Extract<Test, 'eqi' | `${'contains' | 'startsWith' | 'endsWith'}${'' | 'i'}`>;

/** The pattern that the text of a value must match. The operand is literal. */
export function textPattern(test: TextTest, operand: unknown): TextPattern {
  return { source: sources[test](escape(String(operand))), flags: operators[test].text === 'insensitive' ? 'i' : '' };
}

const whole = (text: string): string => `^${text}${end}`;
const anywhere = (text: string): string => text;
const atStart = (text: string): string => `^${text}`;
const atEnd = (text: string): string => `${text}${end}`;

/** The very end: in MongoDB `$` alone would also match before a last line break. */
const end = '(?!\\n)$';

const sources: Readonly<Record<TextTest, (text: string) => string>> = {
  eqi: whole,
  contains: anywhere,
  containsi: anywhere,
  startsWith: atStart,
  startsWithi: atStart,
  endsWith: atEnd,
  endsWithi: atEnd,
};

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
