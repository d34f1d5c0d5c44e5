import { expect } from 'chai';
import { stageIn, withStage } from '../../panel/workflow/stage-filters.js';

const stages = ['Draft', 'Review', 'Approved'];
const other = { title: { $contains: 'sea' } };

describe('the filter of a list by stage', () => {
  for (const stage of stages)
    it(`names ${stage}, and is found again`, () => {
      const filters = withStage([other, { stage: { $eq: 'Review' } }], stage, stages);
      expect(filters).to.have.length(2).and.to.include(other);
      expect(stageIn(filters, stages)).to.equal(stage);
      expect(withStage(filters, '', stages)).to.deep.equal([other]);
    });

  it('has unknown stages in the first one', () => {
    expect(withStage([], 'Draft', stages)).to.deep.equal([{ stage: { $notIn: ['Review', 'Approved'] } }]);
    expect(withStage([], 'Only', ['Only'])).to.deep.equal([{ stage: { $eq: 'Only' } }]);
  });

  it('is empty without one', () => {
    expect(stageIn([other], stages)).to.equal('');
  });
});
