import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';
import type { Owned } from './type-store.js';

/** What a schema was generated from, and its types. */
export interface Generated {
  readonly registry: Registry;
  readonly types: ReadonlyMap<string, Owned>;
}

/**
 * The types of the schema before that serve in the next one as they are: those of content types that are the same in both
 * registries and lead, through any number of others, to none that has changed.
 */
export function keptTypes({ registry: before, types }: Generated, registry: Registry): ReadonlyMap<string, Owned> {
  const changed = changedUids(before, registry);
  return new Map([...types].filter(([, { owner }]) => owner === 'service' || (owner !== 'schema' && !changed.has(owner.uid))));
}

function changedUids(before: Registry, after: Registry): ReadonlySet<string> {
  const uids = new Set([...before.types.keys(), ...after.types.keys()]);
  const changed = new Set([...uids].filter((uid) => before.types.get(uid) !== after.types.get(uid)));
  const referrers = referrersOf(after);
  // a Set's iterator also visits what is added while it runs
  for (const uid of changed) for (const referrer of referrers.get(uid) ?? []) changed.add(referrer);
  return changed;
}

/** By uid: the types that have a field leading there. */
function referrersOf({ types }: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const referrers = new Map<string, Set<string>>();
  for (const type of types.values())
    for (const uid of targetsOf(type)) referrers.set(uid, (referrers.get(uid) ?? new Set()).add(type.uid));
  return referrers;
}

const targetsOf = (type: ContentType): string[] => [...type.attributes.values()].flatMap(attributeTargets);

function attributeTargets(attribute: Attribute): readonly string[] {
  switch (attribute.kind) {
    case 'scalar':
      return [];
    case 'relation':
    case 'media':
      return [attribute.target];
    case 'component':
      return [attribute.component];
    case 'dynamiczone':
      return attribute.components;
    case 'morph':
      return attribute.targets ?? []; // the union of all types follows the registry by itself
  }
}
