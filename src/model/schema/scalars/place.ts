import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { numberText } from '../stored-values.js';
import { convertedValue, conversionFailure, excerpt } from './conversions.js';
import type { ScalarRule } from './rule.js';

/** A place on the earth, in degrees. */
export interface Place {
  readonly lng: number;
  readonly lat: number;
}

const isDegree = (value: unknown, most: number): value is number => typeof value === 'number' && Math.abs(value) <= most;

/** Returns a value as a place; null if it is none. */
export function readPlace(value: unknown): Place | null {
  if (!isRecord(value)) return null;
  const { lng, lat, ...others } = value;
  return isDegree(lng, 180) && isDegree(lat, 90) && Object.keys(others).length === 0 ? { lng, lat } : null;
}

/** Returns a stored GeoJSON point as a place; null if it is none. */
export function storedPlace(stored: unknown): Place | null {
  if (!isRecord(stored) || stored['type'] !== 'Point' || !Array.isArray(stored['coordinates'])) return null;
  const [lng, lat] = stored['coordinates'].map((one: unknown) =>
    typeof one === 'number' ? one : Number(numberText(one) ?? NaN),
  );
  return isDegree(lng, 180) && isDegree(lat, 90) ? { lng, lat } : null;
}

/** Returns a place as GeoJSON, the form that the index of places takes. */
export const geoPoint = ({ lng, lat }: Place) => ({ type: 'Point', coordinates: [lng, lat] });

const expected = '{ "lng": -180 to 180, "lat": -90 to 90 }';

/** Converts a place, or its JSON. */
function fromAny(value: unknown): Place | null {
  if (typeof value !== 'string') return readPlace(value) ?? storedPlace(value);
  try {
    return fromAny(JSON.parse(value) as unknown);
  } catch {
    return null;
  }
}

const point: ScalarRule = {
  stored: 'point',
  search: 'never',
  uniqueAllowed: false,
  cast: (value, name) => {
    const place = fromAny(value);
    if (place === null) throw validationError(`Invalid value for ${name}, expected ${expected}`);
    return geoPoint(place);
  },
  store: (value, name) => {
    const place = readPlace(value);
    if (place === null) throw validationError(`${name} must be a point, ${expected}`);
    return geoPoint(place);
  },
  output: storedPlace,
  fitting: { bson: 'object' },
  check: (value, _attribute, path) => (readPlace(value) === null ? [`${path} must be a point, ${expected}`] : []),
  convert: (value) => {
    const place = fromAny(value);
    return place === null ? conversionFailure(`${excerpt(value)} is not a point`) : convertedValue(geoPoint(place));
  },
  graphql: 'JSON',
  schema: {
    answer: {
      type: 'object',
      required: ['lng', 'lat'],
      properties: { lng: { type: 'number', minimum: -180, maximum: 180 }, lat: { type: 'number', minimum: -90, maximum: 90 } },
      additionalProperties: false,
    },
  },
  column: 'jsonb',
  panel: { width: 12, sorts: false, listed: false },
};

export const places = { point } as const;
