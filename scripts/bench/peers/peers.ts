import { parse } from './parse/parse.js';
import { payload } from './payload/payload.js';
import type { Peer } from './peer.js';
import { strapi } from './strapi/strapi.js';

/** In the order of measuring. */
export const peers: readonly Peer[] = [strapi, payload, parse];
