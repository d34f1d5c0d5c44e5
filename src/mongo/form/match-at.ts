import type { Document } from 'mongodb';
import type { AttributePlace } from '../../schema/attribute-places.js';

/** Returns a match for entries that have the component at the end of the steps, which meets a condition on one attribute. */
export function matchAt([step, ...rest]: AttributePlace['steps'], condition: Document): Document {
  if (step === undefined) return condition;
  const { name, list, zone } = step;
  const inner = { ...(zone !== null && { __component: zone }), ...matchAt(rest, condition) };
  if (list) return { [name]: { $elemMatch: inner } };
  const below = Object.entries(inner).map(([key, value]) => [`${name}.${key}`, value as unknown]);
  return { [name]: { $ne: null }, ...(Object.fromEntries(below) as Document) };
}
