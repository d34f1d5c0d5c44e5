import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { historyOption } from '#api/history/history-option.js';
import { buildRegistry, type RegistryBuild } from '#model/schema/build-registry.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { collectionType as model } from '../../support/collection-type.js';
import type { TestModel } from '../../support/serve.js';

const relation = (kind: string, target: string, sides: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...sides,
});

const build = (models: readonly TestModel[], previous?: RegistryBuild): RegistryBuild =>
  buildRegistry(models, { ...defaultModelSettings, options: [historyOption], paths: ['users'] }, previous);

describe('a registry that is built from the former one', () => {
  const sides = [{}, { inversedBy: 'back' }, { mappedBy: 'back' }, { inversedBy: 'other' }];
  const kinds = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'];
  const names = ['alpha', 'beta', 'gamma', 'delta'];
  const parts = ['shared.one', 'shared.two', 'shared.three'];

  /** Returns a sequence of numbers that looks random, and is the same for each run. */
  function* numbers(seed: number): Generator<number, never> {
    for (let value = seed; ;) yield (value = (value * 48_271) % 2_147_483_647);
  }

  const attributesFrom = (pick: <Item>(items: readonly Item[]) => Item): object => ({
    other: relation(pick(kinds), pick(names), pick(sides)),
    back: relation(pick(kinds), pick(names), pick(sides)),
    ...pick([{}, { parts: { type: 'component', component: pick(parts) } }]),
    ...pick([{}, { zone: { type: 'dynamiczone', components: [pick(parts), 'shared.part'] } }]),
    ...pick([{}, { any: { type: 'relation', relation: 'morphToOne', target: [`api::${pick(names)}.${pick(names)}`] } }]),
    ...pick([{}, { morphs: relation('morphMany', pick(names), { morphBy: 'any' }) }]),
    ...pick([{}, { slug: { type: 'uid', targetField: pick(['title', 'other']) } }]),
  });

  /** More of them: `SEEDS=100 npx mocha test/model/schema/changed-registry.long.ts`. */
  const seeds = Number(process.env['SEEDS'] ?? 6);

  for (let seed = 1; seed <= seeds; seed++)
    it(`equals one that is built from scratch, and shares unchanged types (${String(seed)})`, () => {
      const source = numbers(seed * 7_919);
      const pick = <Item>(items: readonly Item[]): Item => items[source.next().value % items.length] as Item; // not empty
      const models = new Map<string, TestModel>();
      let former: RegistryBuild | undefined;
      for (let step = 0; step < 60; step++) {
        const name = pick(names);
        const uid = pick([`api::${name}.${name}`, `api::${name}.${name}`, pick(parts)]);
        if (pick([true, false, false])) models.delete(uid);
        else if (parts.includes(uid))
          models.set(uid, {
            uid,
            info: { displayName: uid },
            attributes: { inner: { type: 'component', component: pick(parts) } },
          });
        else models.set(uid, model(name, { title: { type: 'string' }, ...attributesFrom(pick) }));
        const documents = [...models.values()].sort((a, b) => Number(a.uid > b.uid) - Number(a.uid < b.uid));
        const after = build(documents, former);
        const anew = build(documents);
        expect([...after.problems]).to.deep.equal([]);
        expect(after.warnings).to.deep.equal(anew.warnings);
        // Much faster than Chai's comparison, which shows the difference.
        if (!isDeepStrictEqual(after.registry.types, anew.registry.types))
          expect([...after.registry.types]).to.deep.equal([...anew.registry.types]);
        for (const [other, settled] of former?.settled ?? [])
          if (isDeepStrictEqual(settled, after.settled.get(other)))
            expect(after.registry.types.get(other)).to.equal(former?.registry.types.get(other));
        former = after;
      }
    });
});
