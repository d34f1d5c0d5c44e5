import { isRecord, type Values } from '#base/values.js';
import type { Attribute, ComponentAttribute, ContentType, Registry, ZoneAttribute } from './content-type.js';

/** An attribute whose value consists of components. */
export type PartsAttribute = ComponentAttribute | ZoneAttribute;

export const hasParts = (attribute: Attribute | undefined): attribute is PartsAttribute =>
  attribute?.kind === 'component' || attribute?.kind === 'dynamiczone';

/** Returns whether an attribute is a list of components. */
export const listsParts = (attribute: Attribute): attribute is PartsAttribute =>
  hasParts(attribute) && (attribute.kind === 'dynamiczone' || attribute.repeatable);

/** Returns the uids of the components that an attribute may have; none for other attributes. */
export const componentsOf = (attribute: Attribute): readonly string[] =>
  attribute.kind === 'component' ? [attribute.component] : attribute.kind === 'dynamiczone' ? attribute.components : none;

const none: readonly never[] = [];

/** Returns the uid of the component of a part. In dynamic zones each part names its own. */
export const uidOfPart = (attribute: PartsAttribute, part: Values): string =>
  attribute.kind === 'component' ? attribute.component : String(part['__component']);

type Types = Pick<Registry, 'types'>;

/** Returns the parts of a value, with their components; none for other attributes. Parts of unknown components are left out. */
export function partsIn(attribute: Attribute, value: unknown, { types }: Types): readonly (readonly [ContentType, Values])[] {
  if (!hasParts(attribute)) return none;
  return [value].flat().flatMap((part: unknown) => {
    const type = isRecord(part) ? types.get(uidOfPart(attribute, part)) : undefined;
    return isRecord(part) && type !== undefined ? [[type, part] as const] : [];
  });
}

/** Returns a value with other parts. Values that are no parts, and parts of unknown components, stay as they are. */
export function mapParts(
  attribute: Attribute,
  value: unknown,
  models: Types,
  change: (part: Values, type: ContentType) => unknown,
): unknown {
  if (!hasParts(attribute)) return value;
  return mapRecords(value, (part) => {
    const type = models.types.get(uidOfPart(attribute, part));
    return type === undefined ? part : change(part, type);
  });
}

/** Returns a value, or a list of values, with other objects in place of objects. */
export function mapRecords(value: unknown, change: (item: Values) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapRecords(item, change));
  return isRecord(value) ? change(value) : value;
}
