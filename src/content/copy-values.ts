import { isRecord, type Values } from '#base/values.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { hasParts, type PartsAttribute, uidOfPart } from '#model/schema/parts.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { ContentContext } from './content-context.js';

/** Returns copies of some values for another entry. */
export async function copyValues(
  type: ContentType,
  entry: StoredDocument,
  names: readonly string[],
  context: ContentContext,
): Promise<Record<string, unknown>> {
  const copied = await Promise.all(
    names.map(async (name) => [name, await copyParts(type.attributes.get(name), entry[name] ?? null, context)] as const),
  );
  return Object.fromEntries(copied);
}

/** Returns a copy of a stored value for another entry, in which components at any depth have new ids. */
async function copyParts(attribute: Attribute | undefined, value: unknown, context: ContentContext): Promise<unknown> {
  if (!hasParts(attribute)) return value;
  if (Array.isArray(value)) return Promise.all(value.map((part) => copyPart(attribute, part, context)));
  return copyPart(attribute, value, context);
}

async function copyPart(attribute: PartsAttribute, part: unknown, context: ContentContext): Promise<unknown> {
  if (!isRecord(part)) return part;
  const uid = uidOfPart(attribute, part);
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
