import type { ContentType, LinkAttribute, ScalarAttribute } from '#model/schema/content-type.js';
import { isInGraphql } from '../type-names.js';
import { emptyFields, type Fields, type SchemaContext, shownType } from './schema-context.js';

/** Returns the field of an attribute or component in a type of groups; null if it has none there. */
interface FieldMakers {
  readonly ofAttribute: (attribute: ScalarAttribute | LinkAttribute) => Fields[string] | null;
  readonly ofPart: (name: string, part: ContentType) => Fields[string] | null;
}

/** Returns fields by the attributes that answers show, and by components that are not repeatable; null if there are none. */
export function attributeFields(
  { uid, attributes }: ContentType,
  { ofAttribute, ofPart }: FieldMakers,
  context: SchemaContext,
): Fields | null {
  const fields = emptyFields();
  for (const attribute of attributes.values()) {
    const { name, kind } = attribute;
    if (attribute.private || !isInGraphql(attribute) || !context.shadow.hasField(uid, name, 'output')) continue;
    const part = kind === 'component' && !attribute.repeatable ? shownType(context, attribute.component) : null;
    const isLeaf = kind === 'scalar' || kind === 'relation' || kind === 'media';
    const field = part !== null ? ofPart(name, part) : isLeaf ? ofAttribute(attribute) : null;
    if (field !== null) fields[name] = field;
  }
  return Object.keys(fields).length === 0 ? null : fields;
}
