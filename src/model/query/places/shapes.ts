import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { geoPoint, type Place, readPlace } from '../../schema/scalars/place.js';
import { angleOf, circleAround, distanceOf, isInside, type Outline, outlineOf } from './geodesy.js';

/** A part of the earth. */
export type Shape =
  | { readonly kind: 'circle'; readonly center: Place; readonly radius: number }
  /** West is not greater than east. */
  | { readonly kind: 'box'; readonly bounds: Bounds }
  | { readonly kind: 'polygon'; readonly corners: readonly Place[]; readonly outline: Outline };

/** West, south, east, north. */
type Bounds = readonly [number, number, number, number];

const maxCorners = 100;

/**
 * Parses a shape: `{ circle: { lng, lat, radius } }`, `{ box: 'west,south,east,north' }` or `{ polygon: 'lng,lat;lng,lat;…' }`, whose texts
 * may also be lists. A box across the antimeridian is two. Throws a ValidationError that names the parameter.
 */
export function parseShapes(input: unknown): readonly Shape[] {
  const [[kind, value] = ['', null], ...others] = isRecord(input) ? Object.entries(input) : [];
  if (others.length > 0 || !Object.hasOwn(parsers, kind)) throw invalid('expected one of circle, box, polygon');
  return parsers[kind as keyof typeof parsers](value);
}

const invalid = (reason: string): Error => validationError(`Invalid parameter $within: ${reason}`);

const parsers = { circle: parseCircle, box: parseBox, polygon: parsePolygon };

function parseCircle(input: unknown): readonly Shape[] {
  const { lng, lat, radius, ...others } = isRecord(input) ? input : {};
  const center = readPlace({ lng: numberIn(lng), lat: numberIn(lat) });
  const metres = numberIn(radius);
  if (center === null || !(metres >= 0) || Object.keys(others).length > 0)
    throw invalid('circle must have lng (-180 to 180), lat (-90 to 90) and radius (metres)');
  return [{ kind: 'circle', center, radius: metres }];
}

function parseBox(input: unknown): readonly Shape[] {
  const [west = NaN, south = NaN, east = NaN, north = NaN, ...others] = numbersIn(input);
  const corners = [readPlace({ lng: west, lat: south }), readPlace({ lng: east, lat: north })];
  if (corners.includes(null) || others.length > 0) throw invalid('box must be west,south,east,north in degrees');
  if (south > north) throw invalid('south of the box must not be greater than north');
  const box = (from: number, to: number): Shape => ({ kind: 'box', bounds: [from, south, to, north] });
  return west <= east ? [box(west, east)] : [box(west, 180), box(-180, east)];
}

function parsePolygon(input: unknown): readonly Shape[] {
  const items: readonly unknown[] = typeof input === 'string' ? input.split(';') : Array.isArray(input) ? input : [];
  const places = items.map(placeIn);
  const [first, last] = [places[0], places.at(-1)];
  const isClosed = places.length > 1 && first?.lng === last?.lng && first?.lat === last?.lat;
  const corners = isClosed ? places.slice(0, -1) : places;
  if (corners.length < 3 || corners.length > maxCorners) throw invalid(`polygon must have 3 to ${String(maxCorners)} corners`);
  const outline = outlineOf(corners);
  if (typeof outline === 'string') throw invalid(`the polygon cannot be used: ${outline}`);
  return [{ kind: 'polygon', corners, outline }];
}

function placeIn(item: unknown): Place {
  const [lng, lat, ...others] = isRecord(item) ? [numberIn(item['lng']), numberIn(item['lat'])] : numbersIn(item);
  const place = others.length > 0 ? null : readPlace({ lng, lat });
  if (place === null) throw invalid('a corner of the polygon must be lng,lat (-180 to 180, -90 to 90)');
  return place;
}

const numbersIn = (input: unknown): readonly number[] => {
  const items: readonly unknown[] = typeof input === 'string' ? input.split(',') : Array.isArray(input) ? input : [];
  return items.map(numberIn);
};

/** Returns a number, or one that a text has; otherwise NaN. */
export function numberIn(value: unknown): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

/** Returns the query of the database for the places in a shape. */
export function shapeQuery(shape: Shape): Values {
  if (shape.kind === 'circle') return circleQuery(shape.center, shape.radius);
  if (shape.kind === 'box') {
    const [west, south, east, north] = shape.bounds;
    const box = [
      [west, south],
      [east, north],
    ];
    return { $geoWithin: { $box: box } };
  }
  const ring = [...shape.corners, ...shape.corners.slice(0, 1)].map((corner) => geoPoint(corner).coordinates);
  return { $geoWithin: { $geometry: { type: 'Polygon', coordinates: [ring] } } };
}

const circleQuery = ({ lng, lat }: Place, radius: number): Values => ({
  $geoWithin: { $centerSphere: [[lng, lat], angleOf(radius)] },
});

/** Returns a query for more places than those in a shape, which an index serves; null if it serves the query of the shape itself. */
export function wideQuery(shape: Shape): Values | null {
  const circle = shape.kind === 'box' ? circleAround(shape.bounds) : null;
  return circle === null ? null : circleQuery(circle, circle.radius);
}

/** Returns whether a place is in a shape. */
export function isWithin(place: Place, shape: Shape): boolean {
  if (shape.kind === 'circle') return distanceOf(place, shape.center) <= shape.radius;
  if (shape.kind === 'polygon') return isInside(shape.outline, place);
  const [west, south, east, north] = shape.bounds;
  return place.lng >= west && place.lng <= east && place.lat >= south && place.lat <= north;
}
