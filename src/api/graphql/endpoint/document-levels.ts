/** Returns the maximum nesting depth of braces, brackets and parentheses in a document, outside of strings and comments. */
export function documentLevels(text: string): number {
  let [level, deepest] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const change = changes[text[index] ?? ''];
    if (change === undefined) continue;
    if (typeof change === 'function') index = change(text, index);
    else deepest = Math.max(deepest, (level += change));
  }
  return deepest;
}

/** The change of the level at a character, or for the start of a string or comment, a function that returns where it ends. */
const changes: Readonly<Record<string, number | ((text: string, start: number) => number)>> = {
  '{': 1,
  '[': 1,
  '(': 1,
  '}': -1,
  ']': -1,
  ')': -1,
  '"': (text, start) => (text.startsWith('"""', start) ? endOfBlock(text, start) : endOfString(text, start)),
  '#': (text, start) => endOfLine(text, start),
};

/** Returns whether a character ends a line by the GraphQL specification. */
const isLineEnd = (character: string | undefined): boolean => character === '\n' || character === '\r';

function endOfLine(text: string, start: number): number {
  const lineEnd = /[\n\r]/g;
  lineEnd.lastIndex = start;
  return lineEnd.exec(text)?.index ?? text.length;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"' && !isLineEnd(text[index])) index += text[index] === '\\' ? 2 : 1;
  return index;
}

function endOfBlock(text: string, start: number): number {
  let end = positionOf('"""', text, start + 3);
  while (end < text.length && text[end - 1] === '\\') end = positionOf('"""', text, end + 3); // escaped quotes are read as one
  return end + 2;
}

/** Returns the position of a string; the length of the text if it does not occur. */
function positionOf(wanted: string, text: string, start: number): number {
  const index = text.indexOf(wanted, start);
  return index === -1 ? text.length : index;
}
