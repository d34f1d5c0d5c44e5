import slugify from '@sindresorhus/slugify';
import { readAll } from '../mongo/database.js';
import type { Values } from '../schema/check-input.js';
import type { ContentType, ScalarAttribute } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';

/**
 * Makes the uids that were not sent, where the model asks for it (`options.generate`): from the target attribute, with a number
 * behind where the plain one is taken. The reference never makes them over its API, so nothing is made otherwise.
 */
export async function fillUids(type: ContentType, data: Values, context: ContentContext): Promise<Values> {
  const made: Record<string, string> = {};
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || !attribute.generate || attribute.type !== 'uid' || data[attribute.name] !== undefined)
      continue;
    made[attribute.name] = await freeUid(type, attribute, data, context);
  }
  return Object.keys(made).length === 0 ? data : { ...data, ...made };
}

async function freeUid(
  type: ContentType,
  attribute: ScalarAttribute,
  data: Values,
  { store, bind }: ContentContext,
): Promise<string> {
  const source = attribute.targetField === null ? undefined : data[attribute.targetField];
  const base = slugify(typeof source === 'string' ? source : '') || type.singularName;
  const locale = type.localized ? { locale: data['locale'] ?? bind.defaultLocale } : {};
  const filter = { [attribute.name]: { $regex: `^${base}(-\\d+)?$` }, ...locale };
  const rows = await readAll(store.database, {
    find: type.collection,
    filter,
    projection: { _id: 0, [attribute.name]: 1 },
    batchSize: 1_000_000,
  });
  const taken = new Set(rows.map((row) => row[attribute.name] as unknown));
  if (!taken.has(base)) return base;
  let suffix = 1;
  while (taken.has(`${base}-${String(suffix)}`)) suffix++;
  return `${base}-${String(suffix)}`;
}
