import { expect } from 'chai';
import { bindSearch } from '#model/query/bind-search.js';
import type { Condition } from '#model/query/plan.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { bindContext } from '../../support/things.js';

const model = {
  uid: 'api::note.note',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: {
    title: { type: 'string' },
    body: { type: 'richtext', searchable: false },
    rank: { type: 'integer' },
    weight: { type: 'float', searchable: false },
    secret: { type: 'string', private: true },
    day: { type: 'date' },
  },
};

/** The attributes that a search looks into. */
function searched(text: string): readonly string[] {
  const { registry } = buildRegistry([model]);
  const type = registry.types.get(model.uid);
  if (type === undefined) throw new Error('the model is not in force');
  const pathsOf = (condition: Condition): string[] =>
    condition.kind === 'comparison' ? [condition.path] : 'conditions' in condition ? condition.conditions.flatMap(pathsOf) : [];
  return pathsOf(bindSearch(text, type, { ...bindContext, registry }));
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['some text', ['title']],
  ['12', ['_id', 'title', 'rank']],
];

describe('_q', () => {
  for (const [text, paths] of cases)
    it(`${text} is searched in ${paths.join(', ')}`, () => expect(searched(text)).to.deep.equal(paths));
});
