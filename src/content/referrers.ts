import type { Attribute, ContentType, Registry } from '../schema/content-type.js';
import { unlinkUpdate } from './write-inverse.js';

/** A place where documents keep ids of other entries: a path of names, with a mark where a step is an array. */
export interface LinkPath {
  readonly steps: readonly { readonly name: string; readonly list: boolean }[];
  readonly attribute: Extract<Attribute, { kind: 'relation' | 'media' | 'morph' }>;
  /** uid of the component in a dynamic zone that the path goes through, by the index of its step. */
  readonly zones: ReadonlyMap<number, string>;
}

export interface Referrer {
  readonly collection: string;
  readonly links: readonly LinkPath[];
}

/** All stored links of a type, inside its components and dynamic zones too. */
export function linkPaths(type: ContentType, registry: Registry, depth = 0): LinkPath[] {
  if (depth > 8) return [];
  return [...type.attributes.values()].flatMap((attribute) => {
    switch (attribute.kind) {
      case 'scalar':
        return [];
      case 'relation':
      case 'media':
        return attribute.storage.kind === 'own' ? [{ steps: [], attribute, zones: new Map<number, string>() }] : [];
      case 'morph':
        return attribute.writable ? [{ steps: [], attribute, zones: new Map<number, string>() }] : [];
      case 'component':
        return below(attribute.component, { name: attribute.name, list: attribute.repeatable }, registry, depth);
      case 'dynamiczone':
        return attribute.components.flatMap((uid) =>
          below(uid, { name: attribute.name, list: true }, registry, depth).map((path) => ({
            ...path,
            zones: new Map([...path.zones, [0, uid]]),
          })),
        );
    }
  });
}

function below(uid: string, step: LinkPath['steps'][number], registry: Registry, depth: number): LinkPath[] {
  const type = registry.types.get(uid);
  if (type === undefined) return [];
  return linkPaths(type, registry, depth + 1).map(({ steps, attribute, zones }) => ({
    attribute,
    steps: [step, ...steps],
    zones: new Map([...zones].map(([index, zone]) => [index + 1, zone])),
  }));
}

/** The collections whose documents may link to entries of a type. */
export function referrersOf(type: ContentType, registry: Registry): Referrer[] {
  return [...registry.types.values()].flatMap((owner) => {
    if (owner.kind === 'component') return [];
    const links = linkPaths(owner, registry).filter(
      ({ attribute }) => attribute.kind === 'morph' || attribute.target === type.uid,
    );
    return links.length === 0 ? [] : [{ collection: owner.collection, links }];
  });
}

/** The updates that take one id out of all documents of a collection. */
export const unlinkOperations = (links: readonly LinkPath[], type: ContentType, id: number): object[] =>
  links.map((link) => (link.steps.length === 0 ? unlinkTop(link, type, id) : unlinkInside(link, type, id)));

function unlinkTop({ attribute }: LinkPath, type: ContentType, id: number): object {
  if (attribute.kind !== 'morph')
    return { updateMany: { filter: { [attribute.name]: id }, update: unlinkUpdate(attribute, id) } };
  const link = { __type: type.uid, id };
  const filter = attribute.many
    ? { [attribute.name]: { $elemMatch: link } }
    : { [`${attribute.name}.__type`]: type.uid, [`${attribute.name}.id`]: id };
  return {
    updateMany: { filter, update: attribute.many ? { $pull: { [attribute.name]: link } } : { $set: { [attribute.name]: null } } },
  };
}

/** Inside lists of components only those elements change that have the link. */
function unlinkInside({ steps, attribute, zones }: LinkPath, type: ContentType, id: number): object {
  const value = attribute.kind === 'morph' ? { __type: type.uid, id } : id;
  const plain = [...steps.map(({ name }) => name), attribute.name].join('.');
  const path = [...steps.map(({ name, list }, index) => (list ? `${name}.$[e${String(index)}]` : name)), attribute.name].join(
    '.',
  );
  const lists = steps.flatMap(({ list }, index) => (list ? [index] : []));
  const arrayFilters = lists.map((index) => {
    const rest = [...steps.slice(index + 1).map(({ name }) => name), attribute.name].join('.');
    const zone = zones.get(index);
    return { [`e${String(index)}.${rest}`]: value, ...(zone !== undefined && { [`e${String(index)}.__component`]: zone }) };
  });
  const update = attribute.many ? { $pull: { [path]: value } } : { $set: { [path]: null } };
  return { updateMany: { filter: { [plain]: value }, update, ...(arrayFilters.length > 0 && { arrayFilters }) } };
}
