import { findName, typeName } from '#api/graphql/type-names.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { Draw } from './draw.js';
import { targetOf, type Rights } from './rights.js';
import { walk, type Walk } from './walk.js';

/** A query for all entries of a type, with the filter at its root. */
export interface AskedGraphql {
  readonly query: string;
  readonly filter: Walk | null;
}

/** Selections up to five levels down, through relations, media, components, dynamic zones and polymorphic relations. */
export function askGraphql(type: ContentType, rights: Rights, draw: Draw): AskedGraphql {
  const filter = draw.chance(0.4) ? walk(type, rights, draw) : null;
  const selecting: Selecting = { rights, draw, aliases: 0 };
  const query = `{ ${findName(type)}(${argumentsOf(filter, null)}) { data { id ${attributesOf(type, selecting, 0)} } } }`;
  return { query, filter };
}

interface Selecting {
  readonly rights: Rights;
  readonly draw: Draw;
  aliases: number;
}

const literal = (path: readonly string[], value: string): string =>
  path.reduceRight((inner, name) => `{ ${name}: ${inner} }`, value);

function argumentsOf(filter: Walk | null, sort: Walk | null): string {
  const test = filter?.value === null ? '{ null: true }' : `{ eq: ${JSON.stringify(filter?.value)} }`;
  return [
    'pagination: { limit: 50 }',
    ...(filter === null ? [] : [`filters: ${literal(filter.path, test)}`]),
    ...(sort === null ? [] : [`sort: ${JSON.stringify(sort.path.join('.'))}`]),
  ].join(', ');
}

const attributesOf = (type: ContentType, selecting: Selecting, depth: number): string =>
  `attributes { ${selectionOf(type, selecting, depth)} }`;

/** Gives every field an alias: members of a union may have fields of the same name and different types. */
function selectionOf(type: ContentType, selecting: Selecting, depth: number): string {
  const { draw } = selecting;
  const fields = [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.private || !draw.chance(attribute.kind === 'scalar' ? 0.5 : 0.5 / (1 + depth / 3))) return [];
    const field = fieldOf(attribute, selecting, depth);
    return field === null ? [] : [`a${String(++selecting.aliases)}: ${field}`];
  });
  return ['__typename', ...fields].join(' ');
}

function fieldOf(attribute: Attribute, selecting: Selecting, depth: number): string | null {
  const { world } = selecting.rights;
  const target = targetOf(attribute, world);
  switch (attribute.kind) {
    case 'scalar':
      return attribute.name;
    case 'relation':
    case 'media': {
      if (target === null || depth >= 5) return null;
      const list = attribute.many ? `(${listArguments(target, attribute, selecting)})` : '';
      return `${attribute.name}${list} { data { id ${attributesOf(target, selecting, depth + 1)} } }`;
    }
    case 'component':
      return target === null || depth >= 5 ? null : `${attribute.name} { ${selectionOf(target, selecting, depth + 1)} }`;
    case 'dynamiczone':
      return depth >= 5 ? null : `${attribute.name} { ${fragmentsOf(attribute.components, selecting, depth)} }`;
    case 'morph':
      return depth >= 5
        ? null
        : `${attribute.name} { ${fragmentsOf(
            world.types.map(({ uid }) => uid),
            selecting,
            depth,
          )} }`;
  }
}

function listArguments(target: ContentType, { kind }: Attribute, { rights, draw }: Selecting): string {
  const isFiltered = kind === 'relation' && target.kind === 'collectionType' && draw.chance(0.3);
  return argumentsOf(
    isFiltered ? walk(target, rights, draw) : null,
    isFiltered && draw.chance(0.3) ? walk(target, rights, draw) : null,
  );
}

function fragmentsOf(uids: readonly string[], selecting: Selecting, depth: number): string {
  const types = uids.flatMap((uid) => selecting.rights.world.registry.types.get(uid) ?? []);
  return ['__typename', ...types.map((type) => `... on ${typeName(type)} { ${selectionOf(type, selecting, depth + 1)} }`)].join(
    ' ',
  );
}
