import { expect } from 'chai';
import { readSettings } from '../../scripts/bench/settings.js';

const accepted: Readonly<Record<string, object>> = {
  '': {
    mode: 'baseline',
    size: '10k',
    rows: 'n a b c-narrow c-broad c-first d 304-a 304-d kept h i k l g h-first h-scan h-trigrams q q-first s-relation s-unindexed u none o o-fallback p j v-1 v-200 v-2000 near x-author x-month x-facets z-gzip z-br z-kept m-download f e key put-key batch w m-upload',
    seconds: 2,
    rounds: 3,
    connections: [8, 32],
  },
  '--access': {
    mode: 'access',
    size: '10k',
    rows: 'a b c-narrow c-broad c-first d 304-a 304-d kept h i k l g h-first h-scan h-trigrams q q-first s-relation s-unindexed u none o o-fallback p j v-1 v-200 v-2000 near x-author x-month x-facets z-gzip z-br z-kept f e key batch w m-upload',
  },
  '--growth': {
    mode: 'growth',
    size: '1m',
    seconds: 1,
    rounds: 2,
    connections: [8],
    rows: 'a b c-narrow c-broad c-first d h i g h-first h-scan h-trigrams q q-first s-relation s-unindexed u o o-fallback p j v-1 v-200 v-2000 f e w',
  },
  '--growth --size 100K --rows d,c': { mode: 'growth', size: '100k', rows: 'c-narrow c-broad c-first d' },
  '--against ../other --rows a,g': { mode: 'builds', against: '../other', size: '10k', rows: 'a g' },
  '--peers': {
    mode: 'peers',
    peers: 'strapi payload parse',
    size: '10k',
    connections: [8],
    rows: 'a b c-narrow c-broad c-first d kept h i k l h-first h-scan h-trigrams q q-first s-relation s-unindexed u o o-fallback j f e w',
  },
  '--hot': { mode: 'hot', types: 500, rounds: 20 },
  '--hot --types 50 --rounds 2': { mode: 'hot', types: 50, rounds: 2 },
  '--connections 4,16': { connections: [4, 16] },
  '--peers payload --rows a': { mode: 'peers', peers: 'payload', rows: 'a' },
  '--rows a --peers parse,strapi': { mode: 'peers', peers: 'strapi parse' },
  '--rows m': { rows: 'm-download m-upload' },
  '--rows c-broad --seconds 0.5 --rounds 1': { rows: 'c-broad', seconds: 0.5, rounds: 1 },
  '--json out.json': { jsonFile: 'out.json', docs: null },
  '--docs docs': { docs: 'docs' },
};

const refused: Readonly<Record<string, string>> = {
  '--access --growth': '--access and --growth: one at a time',
  '--growth --against ../other': '--growth and --against: one at a time',
  '--peers directus': '--peers directus: one of strapi, payload, parse',
  '--access payload': 'payload: not an option',
  '--peers payload strapi': 'payload strapi: not an option',
  '--access --peers': '--access and --peers: one at a time',
  '--growth --hot': '--growth and --hot: one at a time',
  '--hot --types none': '--types none: a positive number',
  '--growth --size 10k': '--size 10k: growth needs a larger one',
  '--size 2k': '--size 2k: one of 10k, 100k, 1m',
  '--rows a,y':
    '--rows y: one of n, a, b, c-narrow, c-broad, c-first, d, 304-a, 304-d, kept, h, i, k, l, g, h-first, h-scan, h-trigrams, q, q-first, s-relation, s-unindexed, u, none, o, o-fallback, p, j, v-1, v-200, v-2000, near, x-author, x-month, x-facets, z-gzip, z-br, z-kept, m-download, f, e, key, put-key, push, push-1, batch, w, m-upload',
  '--seconds 0': '--seconds 0: a positive number',
  '--connections many': '--connections many: a positive number',
};

const split = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');

describe('readSettings', () => {
  for (const [line, expected] of Object.entries(accepted))
    it(line || 'nothing', () => {
      const settings = readSettings(split(line));
      const rows = settings?.rows.map(({ key }) => key).join(' ');
      const peers = settings?.peers.map(({ name }) => name).join(' ');
      expect({ ...settings, rows, peers }).to.deep.include(expected);
    });

  for (const [line, message] of Object.entries(refused))
    it(`${line} is refused`, () => {
      expect(() => readSettings(split(line))).to.throw(message);
    });

  it('returns null if help is asked for', () => {
    expect(readSettings(['-h'])).to.equal(null);
  });
});
