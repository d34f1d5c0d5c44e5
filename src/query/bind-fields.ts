import { invalidParameter } from '../errors.js';
import type { ContentType, ScalarAttribute } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { namesIn } from './parse-fields.js';
import { readable } from './readable.js';

/** Binds `fields` to the scalar attributes that are shown, in the order of the model. Throws a ValidationError for an item with a wrong name. */
export function bindFields({ fields: items, forCode }: Query, type: ContentType, context: BindContext): ScalarAttribute[] {
  for (const item of items ?? []) if (!namesIn(item).every((name) => isField(name, type, context))) throw invalidParameter(item);
  const wanted = items === null ? null : new Set(items.flatMap(namesIn));
  const fields: ScalarAttribute[] = [];
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || (wanted !== null && !wanted.has(attribute.name))) continue;
    const seen = readable(type, attribute.name, context.access) !== null || (forCode === true && attribute.type !== 'password');
    if (seen) fields.push(attribute);
  }
  return fields;
}

const isField = (name: string, type: ContentType, { access }: BindContext): boolean =>
  name === 'id' || readable(type, name, access)?.kind === 'scalar';
