import { isDeepStrictEqual } from 'node:util';
import type { ContentType, Registry } from '../../schema/content-type.js';

/** Whether entries of the former type lack something that the type needs. */
export const asksForMore = (type: ContentType, former: ContentType | undefined): boolean =>
  former !== undefined && ((type.draftAndPublish && !former.draftAndPublish) || (type.localized && !former.localized));

/** Types that are new or differ from the previous snapshot, components being looked through. */
export function changedTypes(registry: Registry, previous: Registry | null): ContentType[] {
  const types = [...registry.types.values()].filter(({ kind }) => kind !== 'component');
  if (previous === null) return types;
  const changedComponent = [...registry.types.values()].some(
    (type) => type.kind === 'component' && !isDeepStrictEqual(type, previous.types.get(type.uid)),
  );
  return changedComponent ? types : types.filter((type) => !isDeepStrictEqual(type, previous.types.get(type.uid)));
}
