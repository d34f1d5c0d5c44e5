import type { Attribute } from '../schema/content-type.js';
import { isRecord, type Values } from '../values.js';
import type { ContentContext } from './content-context.js';

/** A stored value for another entry: components, at any depth, get ids of their own; all else is the same. */
export async function copyParts(attribute: Attribute | undefined, value: unknown, context: ContentContext): Promise<unknown> {
  if (attribute?.kind !== 'component' && attribute?.kind !== 'dynamiczone') return value;
  if (Array.isArray(value)) return Promise.all(value.map((part) => copyPart(attribute, part, context)));
  return copyPart(attribute, value, context);
}

async function copyPart(
  attribute: Extract<Attribute, { kind: 'component' | 'dynamiczone' }>,
  part: unknown,
  context: ContentContext,
): Promise<unknown> {
  if (!isRecord(part)) return part;
  const uid = attribute.kind === 'component' ? attribute.component : String(part['__component']);
  const type = context.bind.registry.types.get(uid);
  const { ids, database } = context.store;
  const [id] = await ids.next(`component ${uid}`, 1, { ...database, session: null });
  const inner = await Promise.all(
    Object.entries(part).map(
      async ([name, value]) => [name, await copyParts(type?.attributes.get(name), value, context)] as const,
    ),
  );
  return { ...(Object.fromEntries(inner) as Values), id };
}
