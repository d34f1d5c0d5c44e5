import { dataForm } from '../../load-data.js';
import { type Peer, unordered } from '../peer.js';
import { installStrapi, strapiData } from './install.js';

/** Strapi answers the requests of the product. */
export const strapi: Peer = {
  name: 'strapi',
  title: 'Strapi 4.26 on SQLite',
  program: 'peers/strapi/server',
  onMongoDB: false,
  options: (size) => [size, strapiData(size, dataForm)],
  install: installStrapi,
  ask: (request) => request,
  // It does not name an entry's other locales.
  loose: new Set([...unordered, 'o']),
};
