import type { Document } from 'mongodb';
import { aggregate, type Handler } from './baseline-handler.js';
import { shapeMeta } from './baseline-shape.js';
import { keepFiltered } from './baseline-totals.js';

const most = 100_000;

/** The radius of the earth in metres, as MongoDB has it. */
const earthRadius = 6_378_100;

/** Row near: the nearest places within 100 km, with their distances and total. */
export const listNear: Handler = async (db, parameters) => {
  const center = [Number(parameters.get('lng')), Number(parameters.get('lat'))];
  const near = { type: 'Point', coordinates: center };
  const stage = { near, key: 'at', spherical: true, distanceField: 'distance', maxDistance: most, query: isPoint };
  const circle = { ...isPoint, at: { $geoWithin: { $centerSphere: [center, most / earthRadius] } } };
  const [page, total] = await Promise.all([
    aggregate(db, 'places', [{ $geoNear: stage }, { $limit: 25 }], 25),
    keepFiltered(db, 'places', circle),
  ]);
  return { data: page.map(shapePlace), meta: shapeMeta(total, 1) };
};

/** Only points are in the index. */
const isPoint = { 'at.type': 'Point' };

function shapePlace({ _id: id, at, distance, ...values }: Document): unknown {
  const [lng, lat] = (at as { readonly coordinates: readonly [number, number] }).coordinates; // as the data set stores them
  return { id: id as unknown, attributes: { note: null, ...values, at: { lng, lat } }, meta: { distance: distance as unknown } };
}
