import { expect } from 'chai';
import { Random } from '../../../scripts/random.js';
import { fitEntries, fitEntry, refuseLarge } from '#api/mcp/bounded-answer.js';
import { roundsOf } from '../../support/rounds.js';
import { valueOf } from './random-values.js';

const maxBytes = 10_000;

const entryOf = (random: Random): Record<string, unknown> => ({
  id: random.below(1e6),
  _version: 'abc.1',
  ...Object.fromEntries(Array.from({ length: random.below(20) }, (_, index) => [`value${String(index)}`, valueOf(random)])),
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('the measure of answers', () => {
  it('lets no answer be larger, and cuts none that fits', () => {
    const random = new Random(7);
    const rounds = roundsOf(60, 200);
    for (let round = 0; round < rounds; round++) {
      const all = Array.from({ length: 1 + random.below(8) }, () => entryOf(random));
      const answerOf = (entries: readonly object[]) => ({
        entries,
        total: all.length,
        nextCursor: 'x'.repeat(random.below(900)),
      });
      const answer = fitEntries(all, maxBytes, answerOf) as { readonly entries: readonly Record<string, unknown>[] };
      expect(bytesOf(answer)).to.be.at.most(maxBytes);
      expect(answer.entries).to.have.length.greaterThan(0);
      for (const [index, entry] of answer.entries.entries()) {
        const { _truncated: names = [], ...values } = entry as { readonly _truncated?: readonly string[] };
        const changed = Object.keys(all[index] ?? {}).filter(
          (name) => JSON.stringify(Reflect.get(values, name)) !== JSON.stringify(all[index]?.[name]),
        );
        expect(names).to.deep.equal(changed);
      }
    }
  });

  it('keeps the names of values that were cut before', () => {
    const once = fitEntry({ entry: { id: 1, long: 'x'.repeat(20_000), other: 'y'.repeat(4_000) } }, maxBytes);
    const twice = fitEntry({ ...once, previousVersion: 3, dryRun: true }, 4_000) as { entry: { _truncated: string[] } };
    expect(twice.entry._truncated).to.have.members(['long', 'other']);
    expect(bytesOf(twice)).to.be.at.most(4_000);
  });

  it('refuses what has too many values', () => {
    const entry = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`attribute number ${String(index)}`, 1]));
    expect(() => fitEntry({ entry }, maxBytes)).to.throw('ask for fewer fields');
    expect(() => refuseLarge({ text: 'x'.repeat(maxBytes) }, maxBytes)).to.throw('api.mcp.maxBytes');
  });
});
