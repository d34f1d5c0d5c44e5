import type { StrapiRouter } from 'mangrove';

export default {
  routes: [{ method: 'GET', path: '/notes/newest', handler: 'api::note.note.newest' }],
} satisfies StrapiRouter;
