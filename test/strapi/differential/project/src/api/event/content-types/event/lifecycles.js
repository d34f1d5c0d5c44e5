/** Writes of which title change what is written, or fail. */
module.exports = {
  beforeCreate(event) {
    if (event.params.data.title === 'refused') throw new Error('refused by a lifecycle');
    if (event.params.data.title === 'marked') event.params.data.trail = 'by beforeCreate';
  },
  beforeUpdate(event) {
    if (event.params.data.title === 'marked') event.params.data.trail = `by beforeUpdate ${JSON.stringify(event.params.where)}`;
  },
  afterFindOne(event) {
    if (event.result?.title === 'rewritten') event.result.trail = 'by afterFindOne';
  },
};
