import { memoizePair } from '#base/caches.js';
import type { FieldError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { findPlaces } from './attribute-places.js';
import { checkInput } from './check-input.js';
import type { Attribute, ContentType, Registry } from './content-type.js';
import type { InputContext } from './findings.js';
import { mapParts } from './parts.js';
import { scalarTypes } from './scalar-types.js';

/** Returns whether drafts of a type may be stored that could not be published: values are required, or have a minimum length. */
export const mayBeIncomplete = memoizePair(
  (type: ContentType, registry: Registry): boolean => type.draftAndPublish && findPlaces(type, registry, isChecked).length > 0,
);

const isChecked = (attribute: Attribute): attribute is Attribute =>
  attribute.required || (attribute.kind === 'scalar' && attribute.minLength !== null);

/**
 * Returns the problems of a stored entry if it were published, or if a published one were updated to it: an update does not ask for what
 * a component leaves out. Links that other entries store are not checked.
 */
export function publishedProblems(
  type: ContentType,
  document: Values,
  registry: Registry,
  mode: InputContext['mode'],
): readonly FieldError[] {
  const elsewhere = [...type.attributes.values()].filter((one) => one.kind === 'relation' && one.storage.kind !== 'own');
  const names = new Set(elsewhere.map(({ name }) => name));
  const context = { registry, mode, draft: false, strict: false, held: names, hashed: true } as const;
  return checkInput(type, shownValues(type, document, context), context).errors;
}

type ShownContext = Pick<InputContext, 'registry' | 'mode'>;

/** Returns the values of a stored entry or component in the form in which clients send them. */
function shownValues({ attributes }: ContentType, stored: Values, context: ShownContext): Values {
  const values = [...attributes.values()].map((attribute): [string, unknown] => [
    attribute.name,
    shownValue(attribute, stored[attribute.name], context),
  ]);
  return { ...stored, ...Object.fromEntries(values) };
}

/** Returns the values of a component. Those that it leaves out are stored as null. */
function shownPart(type: ContentType, part: Values, context: ShownContext): Values {
  const values = shownValues(type, part, context);
  return context.mode === 'create' ? values : Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function shownValue(attribute: Attribute, value: unknown, context: ShownContext): unknown {
  if (attribute.kind === 'relation' && attribute.storage.kind !== 'own') return undefined;
  if (value === null || value === undefined) return null;
  if (attribute.kind === 'scalar') return scalarTypes[attribute.type].output(value);
  return mapParts(attribute, value, context.registry, (part, type) => shownPart(type, part, context));
}
