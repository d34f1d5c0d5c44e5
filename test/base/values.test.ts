import { expect } from 'chai';
import { bytesOf, isoText } from '#base/values.js';

describe('the text of a date', () => {
  const times = [
    0, -1, 951_827_696_789, 951_868_799_999, 1_709_210_096_007, -62_198_755_200_000, 253_402_300_799_999, 253_402_300_800_000,
    8.64e15, -8.64e15,
  ];
  for (const time of times) {
    const expected = new Date(time).toISOString();
    it(expected, () => {
      expect([isoText(new Date(time)), isoText(new Date(time))]).to.deep.equal([expected, expected]);
    });
  }

  it('is that of toISOString on many days', () => {
    const dates = Array.from({ length: 5_000 }, (_, index) => new Date(index * 86_399_983));
    expect(dates.map(isoText)).to.deep.equal(dates.map((date) => date.toISOString()));
  });

  it('an invalid date has none', () => {
    expect(() => isoText(new Date(NaN))).to.throw(RangeError);
  });
});

describe('the bytes of a value', () => {
  const cases = [
    ['abc', 9],
    ['é'.repeat(63), 132],
    ['é'.repeat(64), 134],
    [null, 6],
    [12, 10],
    [{ ab: 1, c: [true, null] }, 6 + 12 + 7 + 16],
    [Buffer.alloc(100), 106],
  ] as const;
  for (const [value, expected] of cases)
    it(JSON.stringify(value).slice(0, 40), () => {
      expect(bytesOf(value)).to.equal(expected);
    });
});
