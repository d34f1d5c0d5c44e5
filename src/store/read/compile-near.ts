import type { Document } from 'mongodb';
import { earthRadius } from '#model/query/places/geodesy.js';
import { distancePath } from '#model/query/plan.js';
import type { Near } from '#model/query/places/near.js';

/** How the entries of a page are found that are near to a place. */
export interface NearStage extends Near {
  /** Metres, below which no entry is read; absent if there is no bound. */
  readonly minDistance?: number;
  /** Whether there is no index, so that the distances of all entries are computed. */
  readonly isUnindexed?: true;
}

/** Metres by which bounds are wider than the distances that they stand for, because both are rounded. */
const slack = 0.01;

/**
 * Returns the stages that read the entries that meet a match, with their distances. By an index the nearest come first. The match has
 * the exact condition on the distance.
 */
export function compileNear(match: Document, near: NearStage): Document[] {
  const { path, center, minDistance = 0, maxDistance } = near;
  if (near.isUnindexed === true) return [{ $match: match }, { $set: { [distancePath]: distanceFrom(center, path) } }];
  const most = maxDistance === null ? {} : { maxDistance: maxDistance * (1 + 1e-9) + slack };
  const fewest = minDistance > slack ? { minDistance: minDistance * (1 - 1e-9) - slack } : {};
  const point = {
    near: { type: 'Point', coordinates: [center.lng, center.lat] },
    key: path,
    distanceField: distancePath,
    spherical: true,
  };
  return [{ $geoNear: { ...point, ...most, ...fewest, query: match } }];
}

/** Returns an expression for the distance of a stored point, in metres. */
function distanceFrom({ lng, lat }: Near['center'], path: string): Document {
  const at = (index: number): Document => ({ $arrayElemAt: [`$${path}.coordinates`, index] });
  const halfSine = (value: Document, from: number): Document => ({
    $pow: [{ $sin: { $divide: [{ $degreesToRadians: { $subtract: [value, from] } }, 2] } }, 2],
  });
  const cosines = { $multiply: [Math.cos((lat * Math.PI) / 180), { $cos: { $degreesToRadians: at(1) } }] };
  const part = { $add: [halfSine(at(1), lat), { $multiply: [cosines, halfSine(at(0), lng)] }] };
  return { $multiply: [2 * earthRadius, { $asin: { $min: [{ $sqrt: part }, 1] } }] };
}
