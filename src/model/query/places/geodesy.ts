import type { Place } from '../../schema/scalars/place.js';

/** The radius of the earth in metres, by which MongoDB computes distances. */
export const earthRadius = 6_378_100;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

type Vector = readonly [number, number, number];

function vectorOf({ lng, lat }: Place): Vector {
  const [east, north] = [radians(lng), radians(lat)];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** Returns the distance of two places on a sphere, in metres. */
export function distanceOf(one: Place, other: Place): number {
  const north = Math.sin(radians(other.lat - one.lat) / 2);
  const east = Math.sin(radians(other.lng - one.lng) / 2);
  const part = north ** 2 + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * east ** 2;
  return 2 * earthRadius * Math.asin(Math.min(Math.sqrt(part), 1));
}

type Flat = readonly [number, number];

/** A projection by which shortest lines on the earth are straight. It has the places of a hemisphere; null for others. */
type Projection = (place: Place) => Flat | null;

/** The least height over the border of the hemisphere, beyond which straight lines are too long to be exact. */
const least = 0.02;

/** Returns the projection of the hemisphere around some places; null if they are not in one. */
function projectionAround(places: readonly Place[]): Projection | null {
  const sum = places.map(vectorOf).reduce((a, b): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0] as Vector);
  const size = Math.sqrt(dot(sum, sum));
  if (size < 1e-9) return null;
  const up: Vector = [sum[0] / size, sum[1] / size, sum[2] / size];
  const aside = cross(Math.abs(up[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], up);
  const length = Math.sqrt(dot(aside, aside));
  const east: Vector = [aside[0] / length, aside[1] / length, aside[2] / length];
  const north = cross(up, east);
  return (place) => {
    const vector = vectorOf(place);
    const height = dot(vector, up);
    return height < least ? null : [dot(vector, east) / height, dot(vector, north) / height];
  };
}

/** A tenth of the time of Math.hypot, which takes care of numbers that are larger than these. */
const lengthOf = (x: number, y: number): number => Math.sqrt(x * x + y * y);

/** Returns on which side of a line a point is: 0 if it is so near that this cannot be said. */
function sideOf([a, b]: readonly [Flat, Flat], point: Flat): number {
  const area = (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
  const scale = lengthOf(b[0] - a[0], b[1] - a[1]) * (lengthOf(point[0] - a[0], point[1] - a[1]) + 1e-12);
  return Math.abs(area) <= 1e-12 * scale ? 0 : Math.sign(area);
}

const isBetween = ([a, b]: readonly [Flat, Flat], point: Flat): boolean =>
  Math.min(a[0], b[0]) <= point[0] &&
  point[0] <= Math.max(a[0], b[0]) &&
  Math.min(a[1], b[1]) <= point[1] &&
  point[1] <= Math.max(a[1], b[1]);

/** Returns whether the extents of two lines have a value in common on an axis. */
const overlap = ([a, b]: readonly [Flat, Flat], [c, d]: readonly [Flat, Flat], axis: 0 | 1): boolean =>
  Math.max(a[axis], b[axis]) >= Math.min(c[axis], d[axis]) && Math.max(c[axis], d[axis]) >= Math.min(a[axis], b[axis]);

/** Returns whether two lines have a point in common. */
function meet(one: readonly [Flat, Flat], other: readonly [Flat, Flat]): boolean {
  if (!overlap(one, other, 0) || !overlap(one, other, 1)) return false;
  const [a, b, c, d] = [sideOf(one, other[0]), sideOf(one, other[1]), sideOf(other, one[0]), sideOf(other, one[1])];
  if (a * b < 0 && c * d < 0) return true;
  const touches = [
    [a, one, other[0]],
    [b, one, other[1]],
    [c, other, one[0]],
    [d, other, one[1]],
  ] as const;
  return touches.some(([side, line, point]) => side === 0 && isBetween(line, point));
}

/** A polygon whose edges are the shortest lines between its corners. */
export interface Outline {
  readonly project: Projection;
  readonly corners: readonly Flat[];
}

/** Returns whether a corner is in the middle of a line between those before and after it, so that the outline is the same without it. */
function isOnEdge(corners: readonly Flat[], corner: Flat, index: number): boolean {
  const before = corners.at(index - 1) ?? corner;
  const after = corners[(index + 1) % corners.length] ?? corner;
  const along = (corner[0] - before[0]) * (after[0] - corner[0]) + (corner[1] - before[1]) * (after[1] - corner[1]);
  return sideOf([before, corner], after) === 0 && along > 0;
}

/** Returns the outline of a polygon, or why it has none. */
export function outlineOf(places: readonly Place[]): Outline | string {
  const project = projectionAround(places);
  const corners = places.map((place) => project?.(place) ?? null);
  if (project === null || corners.includes(null)) return 'its corners must be within a hemisphere';
  const all = corners as readonly Flat[]; // none is null
  const flat = all.filter((corner, index) => !isOnEdge(all, corner, index));
  if (flat.length < 3) return 'its corners must not be on a line';
  const edges = flat.map((corner, index) => [corner, flat[(index + 1) % flat.length] ?? corner] as const);
  for (const [index, edge] of edges.entries()) {
    const after = edges[(index + 1) % edges.length] ?? edge;
    if (sideOf(edge, after[1]) === 0) return 'its corners must not be on a line';
    const others = edges.slice(index + 2, index === 0 ? -1 : undefined); // the last one is next to the first
    if (others.some((other) => meet(edge, other))) return 'its edges must not meet';
  }
  return { project, corners: flat };
}

/** Returns whether a place is in a polygon. */
export function isInside({ project, corners }: Outline, place: Place): boolean {
  const point = project(place);
  if (point === null) return false;
  let inside = false;
  for (const [index, [x, y]] of corners.entries()) {
    const [a, b] = corners[(index + 1) % corners.length] ?? [x, y];
    if (y > point[1] !== b > point[1] && point[0] < ((a - x) * (point[1] - y)) / (b - y) + x) inside = !inside;
  }
  return inside;
}

/** Returns the circle around a box without its antimeridian; null for a box that is so wide that most of the earth is in its circle. */
export function circleAround([west, south, east, north]: readonly [number, number, number, number]):
  (Place & { readonly radius: number }) | null {
  if (east - west > 170) return null;
  const center = { lng: (west + east) / 2, lat: (south + north) / 2 };
  const corners = [west, center.lng, east].flatMap((lng) => [south, north].map((lat) => distanceOf(center, { lng, lat })));
  return { ...center, radius: Math.max(...corners) * (1 + 1e-6) + 1 };
}

/** Returns the angle of a distance in metres, at the center of the earth. */
export const angleOf = (distance: number): number => Math.min(distance / earthRadius, Math.PI);
