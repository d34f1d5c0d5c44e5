import { Lexer, Source, TokenKind } from 'graphql';

const changes: Readonly<Partial<Record<TokenKind, number>>> = {
  [TokenKind.BRACE_L]: 1,
  [TokenKind.BRACKET_L]: 1,
  [TokenKind.PAREN_L]: 1,
  [TokenKind.BRACE_R]: -1,
  [TokenKind.BRACKET_R]: -1,
  [TokenKind.PAREN_R]: -1,
};

/**
 * Returns the maximum nesting depth of braces, brackets and parentheses in a document, as far as a parser reads it: up to the first
 * invalid token, and not beyond `mostTokens`.
 */
export function documentLevels(text: string, mostTokens: number): number {
  const lexer = new Lexer(new Source(text));
  let [level, deepest] = [0, 0];
  try {
    for (let count = 0; count < mostTokens && lexer.advance().kind !== TokenKind.EOF; count += 1) {
      level += changes[lexer.token.kind] ?? 0;
      deepest = Math.max(deepest, level);
    }
  } catch {
    return deepest; // the parser stops at the same place
  }
  return deepest;
}
