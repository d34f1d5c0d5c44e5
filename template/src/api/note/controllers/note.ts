import { factories } from 'mangrove';

// The generated actions (find, findOne, create, update, delete), and one more.
export default factories.createCoreController('api::note.note', ({ strapi }) => ({
  async newest() {
    const [note = null] = await strapi.entityService.findMany('api::note.note', { sort: 'id:desc', limit: 1 });
    return { data: note };
  },
}));
