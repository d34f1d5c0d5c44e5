import { factories } from 'mangrove';

// The generated actions (find, findOne, create, update, delete), and one more.
export default factories.createCoreController('api::note.note', ({ strapi }) => ({
  async newest(ctx) {
    const note = await strapi.db.query('api::note.note').findOne({ orderBy: { id: 'desc' } });
    if (note === null) return ctx.notFound('There are no notes yet');
    return this.transformResponse(await this.sanitizeOutput(note, ctx));
  },
}));
