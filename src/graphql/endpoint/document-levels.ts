/** Returns how deep the braces, brackets and parentheses of a document are nested. Those in strings and comments do not count. */
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

/** The change of the level at a character, or what returns the position at which that ends which the character begins. */
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

/** Lines end at either character, as the specification of GraphQL has it. */
const isLineEnd = (character: string | undefined): boolean => character === '\n' || character === '\r';

function endOfLine(text: string, start: number): number {
  let index = start;
  while (index < text.length && !isLineEnd(text[index])) index += 1;
  return index;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"' && !isLineEnd(text[index])) index += text[index] === '\\' ? 2 : 1;
  return index;
}

function endOfBlock(text: string, start: number): number {
  let end = positionOf('"""', text, start + 3);
  while (text[end - 1] === '\\') end = positionOf('"""', text, end + 1);
  return end + 2;
}

/** Returns the position of a text, or the end if it is not there. */
function positionOf(wanted: string, text: string, start: number): number {
  const index = text.indexOf(wanted, start);
  return index === -1 ? text.length : index;
}
