import { expect } from 'chai';
import { ConfigError } from '#settings/setting.js';
import { createEnv } from '#settings/create-env.js';
import { nearestName } from '#base/nearest-name.js';

describe('env', () => {
  const env = createEnv({
    WORD: 'w',
    EMPTY: ' ',
    NUMBER: '12',
    HALF: '0.5',
    YES: 'YES',
    LIST: 'a, "b c",d',
    BRACKETS: '[a,b]',
    JSON: '{"a":[1]}',
  });
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ["env('WORD')", env('WORD'), 'w'],
    ["env('NONE')", env('NONE'), undefined],
    ["env('NONE', 'x')", env('NONE', 'x'), 'x'],
    ["env('EMPTY', 'x')", env('EMPTY', 'x'), 'x'],
    ["env.int('NUMBER')", env.int('NUMBER'), 12],
    ["env.int('NONE', 3)", env.int('NONE', 3), 3],
    ["env.float('HALF')", env.float('HALF'), 0.5],
    ["env.bool('YES')", env.bool('YES'), true],
    ["env.bool('NONE', false)", env.bool('NONE', false), false],
    ["env.array('LIST')", env.array('LIST'), ['a', 'b c', 'd']],
    ["env.array('BRACKETS')", env.array('BRACKETS'), ['a', 'b']],
    ["env.json('JSON')", env.json('JSON'), { a: [1] }],
  ];
  for (const [title, actual, expected] of cases) it(title, () => expect(actual).to.deep.equal(expected));

  const refused: readonly (readonly [string, () => unknown])[] = [
    ["env.int('HALF')", () => env.int('HALF')],
    ["env.float('WORD')", () => env.float('WORD')],
    ["env.bool('WORD')", () => env.bool('WORD')],
    ["env.json('WORD')", () => env.json('WORD')],
  ];
  for (const [title, read] of refused) it(`${title} is refused`, () => expect(read).to.throw(ConfigError, /HALF|WORD/));
});

describe('nearestName', () => {
  const known = ['defaultLimit', 'maxLimit', 'withCount', 'prefix'];
  const cases: readonly (readonly [string, string | null])[] = [
    ['maxlimit', 'maxLimit'],
    ['withcounts', 'withCount'],
    ['prefx', 'prefix'],
    ['limit', null],
    ['', null],
  ];
  for (const [name, expected] of cases) it(JSON.stringify(name), () => expect(nearestName(name, known)).to.equal(expected));
});
