import type { Document } from 'mongodb';
import { dottedPath, findPlaces, type AttributePlace } from '../schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import { runRead, type Database } from './database.js';

/** A required attribute that stored entries lack. */
export interface RequiredNulls {
  /** Path in entries, without positions in lists. */
  readonly attribute: string;
  /** How many entries hold null there, or nothing. */
  readonly entries: number;
}

/** A change of the models, and what was counted after the former ones. */
interface RequiredChange {
  readonly registry: Registry;
  readonly previous: Registry;
  readonly lacking: readonly RequiredNulls[];
}

/**
 * Counts the entries that lack each attribute that the change made required, or that they lacked before it.
 * Sends one command for each. Leaves out the attributes that no entry lacks.
 */
export async function countRequiredNulls(
  type: ContentType,
  change: RequiredChange,
  database: Database,
): Promise<readonly RequiredNulls[]> {
  const found: RequiredNulls[] = [];
  for (const place of placesToCount(type, change)) {
    const query = nullAt(place.steps, place.attribute.name);
    const reply = await runRead(database, { count: type.collection, query });
    const entries = Number(reply['n']);
    if (entries > 0) found.push({ attribute: dottedPath(place), entries });
  }
  return found;
}

/** The required attributes of a type, also in components and dynamic zones, that were not required before, or lacking. */
function placesToCount(type: ContentType, { registry, previous, lacking }: RequiredChange): AttributePlace[] {
  const before = previous.types.get(type.uid);
  const known = new Set(before === undefined ? [] : findPlaces(before, previous, isRequiredValue).map(keyOf));
  const counted = new Set(lacking.map(({ attribute }) => attribute));
  return findPlaces(type, registry, isRequiredValue).filter(
    (place) => !known.has(keyOf(place)) || counted.has(dottedPath(place)),
  );
}

/** Lists are never null, and GraphQL wraps a missing related entry in a response that is not null. */
const isRequiredValue = (attribute: Attribute): attribute is Attribute =>
  attribute.required && (attribute.kind === 'scalar' || (attribute.kind === 'component' && !attribute.repeatable));

const keyOf = (place: AttributePlace): string => `${dottedPath(place)} ${place.steps.map(({ zone }) => zone ?? '').join(' ')}`;

/** Matches entries that have the component at the end of the steps, and null in its attribute. */
function nullAt([step, ...rest]: AttributePlace['steps'], attribute: string): Document {
  if (step === undefined) return { [attribute]: null };
  const { name, list, zone } = step;
  const inner = { ...(zone !== null && { __component: zone }), ...nullAt(rest, attribute) };
  if (list) return { [name]: { $elemMatch: inner } };
  const below = Object.entries(inner).map(([key, value]) => [`${name}.${key}`, value as unknown]);
  return { [name]: { $ne: null }, ...(Object.fromEntries(below) as Document) };
}
