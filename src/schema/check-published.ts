import { memoizePair } from '../caches.js';
import type { FieldError } from '../errors.js';
import type { Values } from '../values.js';
import { findPlaces } from './attribute-places.js';
import { checkInput } from './check-input.js';
import type { Attribute, ContentType, Registry } from './content-type.js';
import { mapParts } from './parts.js';
import { scalarTypes } from './scalar-types.js';

/** Returns whether drafts of a type may be stored that could not be published: values are required, or have a minimum length. */
export const mayBeIncomplete = memoizePair(
  (type: ContentType, registry: Registry): boolean => type.draftAndPublish && findPlaces(type, registry, isChecked).length > 0,
);

const isChecked = (attribute: Attribute): attribute is Attribute =>
  attribute.required || (attribute.kind === 'scalar' && attribute.minLength !== null);

/** Returns the problems of a stored entry if it were published. Links that other entries store are not checked. */
export function publishedProblems(type: ContentType, document: Values, registry: Registry): readonly FieldError[] {
  const elsewhere = [...type.attributes.values()].filter((one) => one.kind === 'relation' && one.storage.kind !== 'own');
  const held = new Set(elsewhere.map(({ name }) => name));
  const context = { registry, mode: 'create', draft: false, strict: false, held, hashed: true } as const;
  const { errors } = checkInput(type, shownValues(type, document, registry), context);
  return errors.filter(({ path }) => path.length > 0);
}

/** Returns the values of a stored entry or component in the form in which clients send them. */
function shownValues({ attributes }: ContentType, stored: Values, registry: Registry): Values {
  const values = [...attributes.values()].map((attribute): [string, unknown] => [
    attribute.name,
    shownValue(attribute, stored[attribute.name], registry),
  ]);
  return { ...stored, ...Object.fromEntries(values) };
}

function shownValue(attribute: Attribute, value: unknown, registry: Registry): unknown {
  if (attribute.kind === 'relation' && attribute.storage.kind !== 'own') return undefined;
  if (value === null || value === undefined) return null;
  if (attribute.kind === 'scalar') return scalarTypes[attribute.type].output(value);
  return mapParts(attribute, value, registry, (part, type) => shownValues(type, part, registry));
}
