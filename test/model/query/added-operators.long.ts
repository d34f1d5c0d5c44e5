import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

/** What each filter of the script finds over REST and GraphQL, in memory, and by the client. */
const found: readonly (readonly number[])[] = [[1, 3], [1], [], [2, 5], [2, 5], [1, 3, 5], [3, 5], [1, 2]];

describe('a row of the table of operators is all that an operator needs', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the JSON of the script
  let result: any;
  before(async () => {
    // in a process of its own, because GraphQL keeps the types of its filters
    const script = join(import.meta.dirname, 'ask-added-operators.ts');
    const { stdout } = await run(process.execPath, ['--import', 'tsx/esm', script]);
    result = JSON.parse(stdout);
  });

  for (const [index, ids] of found.entries())
    it(`the filter ${String(index + 1)} finds ${JSON.stringify(ids)} everywhere`, () => {
      const { filter, ...answers } = result.asked[index];
      for (const [place, answer] of Object.entries(answers))
        if (answer !== null) expect(answer, `${JSON.stringify(filter)} by ${place}`).to.deep.equal(ids);
    });

  it('OpenAPI describes its operand, for the values that have the operator', () => {
    const texts = { type: 'array', items: { type: 'string' } };
    const pair = (items: object) => ({ type: 'array', items, minItems: 2, maxItems: 2 });
    expect(result.schemas).to.deep.equal([
      [texts, pair({ type: 'string' })],
      [{ type: 'array', items: { type: ['number', 'string'] } }, pair({ type: ['number', 'string'] })],
      [null, pair({ type: 'string' })],
    ]);
  });

  it('the types of the client declare it', () => {
    expect(result.declared).to.include.members([
      '$startsWithAny?: readonly string[];',
      '$startsWithAny?: readonly (number | string)[];',
      '$leaves?: readonly [number | string, number | string];',
    ]);
  });
});
