import { expect } from 'chai';
import { documentLevels } from '#api/graphql/endpoint/document-levels.js';

describe('documentLevels', () => {
  const cases: readonly (readonly [text: string, levels: number])[] = [
    ['', 0],
    ['{ a }', 1],
    ['{ a(b: [1, { c: 2 }]) { d } e }', 4],
    ['} { a', 0],
    ['{ a(b: "[[(({{") }', 2],
    ['{ a(b: "\\"[[", c: "\\\\") [ }', 2],
    ['{ a(b: "", c: [1]) }', 3],
    ['{ a(b: """[[ " \\""" ((( """, c: [1]) }', 3],
    ['{ a(b: """""", c: [1]) }', 3],
    ['{ # ((( "\n a(b: 1) }', 2],
    ['{ # ((( "\r a(b: 1) }', 2],
    ['{ # ((( "\r\n a(b: 1) }', 2],
    ['{ a(b: "[[\r) { (', 3],
    ['{ "not closed [[\n (', 2],
    ['{ """not closed (((', 1],
    ['{ """not closed ((( \\', 1],
    ['{ a(b: """\\"""" ((( """) { c } }', 2],
    ['{ a(b: """\\"""" """, c: [[', 4],
    ['{ # not closed (((', 1],
    ['{'.repeat(9_000), 9_000],
  ];
  for (const [text, levels] of cases)
    it(`${text.slice(0, 40)}: ${String(levels)}`, () => {
      expect(documentLevels(text)).to.equal(levels);
    });
});
