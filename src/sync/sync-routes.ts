import type { Config } from '../config/config.js';
import { type Route, withPrefix } from '../http/route.js';
import type { Running } from '../http/running.js';
import { answerSync } from './answer-sync.js';
import { answerShape } from './electric/answer-shape.js';
import { settingsOf } from './sync-service.js';

/** A content type of this name keeps its entries at these paths. */
const toType =
  (name: string) =>
  ({ backend: { models } }: Running): boolean =>
    models.snapshot.registry.byPluralName.has(name) || models.snapshot.registry.bySingularName.has(name);

const shapeRoute: Route = {
  method: 'GET',
  path: '/shapes/:plural',
  yields: (running) => !settingsOf(running).electric || toType('shapes')(running),
  action: 'anybody',
  settings: { isLong: true },
  handle: answerShape,
};

/** The routes by which clients keep copies of entries. */
export const syncRoutes = ({ api }: Config): readonly Route[] =>
  withPrefix(api.rest.prefix, [
    {
      method: 'GET',
      path: '/sync/:plural',
      yields: toType('sync'),
      action: 'anybody',
      settings: { isLong: true },
      handle: answerSync,
    },
    shapeRoute,
  ]);
