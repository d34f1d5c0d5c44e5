import type { FieldNode } from 'graphql';
import type { PopulateField } from '../../query/ast.js';
import type { ContentType } from '../../schema/content-type.js';
import { entityName, typeName } from '../schema/names.js';
import { collectFields } from './collect-fields.js';
import { isCustomField } from './field-definition.js';
import { readChild } from './read-child.js';
import type { Selected, SelectionContext } from './selection-context.js';

/**
 * Reads what is selected of entries below the `data` of a response type: attributes to load, and what to populate, by the key
 * that its resolver will look under.
 */
export function readSelection(
  nodes: readonly FieldNode[],
  response: string,
  type: ContentType,
  context: SelectionContext,
): Selected {
  const parts: Selected[] = [];
  for (const [dataKey, data] of collectFields(nodes, response, context.operation)) {
    if (data[0]?.name.value !== 'data') continue;
    for (const [attributesKey, attributes] of collectFields(data, entityName(type), context.operation))
      if (attributes[0]?.name.value === 'attributes')
        parts.push(readAttributes(attributes, type, [dataKey, attributesKey], context));
  }
  return mergeSelected(parts);
}

/** Reads a selection set on the attributes type of a content type, or on a component. `around`: see childKey. */
export function readAttributes(
  nodes: readonly FieldNode[],
  type: ContentType,
  around: readonly string[],
  context: SelectionContext,
): Selected {
  const fields = new Set<string>();
  const populated: PopulateField[] = [];
  let whole = false;
  for (const [alias, selected] of collectFields(nodes, typeName(type), context.operation)) {
    const name = selected[0]?.name.value ?? '';
    const attribute = type.attributes.get(name);
    // a field that extensions added or took over may ask its parent for any attribute
    whole ||= name !== '__typename' && name !== 'id' && (attribute === undefined || isCustomField(type, name, context.operation));
    if (attribute?.kind === 'scalar') fields.add(name);
    else if (attribute !== undefined) populated.push(...readChild(attribute, selected, { owner: type, around, alias }, context));
  }
  return { fields: whole ? null : [...fields], populate: { all: false, fields: populated } };
}

function mergeSelected(parts: readonly Selected[]): Selected {
  const whole = parts.some(({ fields }) => fields === null);
  return {
    fields: whole ? null : [...new Set(parts.flatMap(({ fields }) => fields ?? []))],
    populate: { all: false, fields: parts.flatMap(({ populate }) => populate.fields) },
  };
}
