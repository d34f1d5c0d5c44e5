import type { Attribute, ContentType, LinkAttribute } from '#model/schema/content-type.js';
import type { Draw } from './draw.js';
import { fileUid, idsOf, roleUid, userUid, type Row, type World } from './world.js';

/** The rights of a role in the form of the oracle. */
export interface Rights {
  readonly world: World;
  /** Types whose entries may be found. */
  readonly finds: ReadonlySet<string>;
  readonly findsOne: ReadonlySet<string>;
  readonly updates: ReadonlySet<string>;
  /** By uid of a type or component. */
  readonly hidden: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ids that a rule leaves; types without a rule have all. */
  readonly shown: ReadonlyMap<string, ReadonlySet<number>>;
}

/** The same rights in the form of the admin API. */
export interface Granted {
  readonly rights: Rights;
  readonly actions: readonly string[];
  readonly rules: { readonly rows: object | null; readonly fields: object | null };
}

/** An id that no entry has. */
const nobody = 999;

const files = 'plugin::upload.content-api';

/** A random role; `userId` is the id of the user that has it, null for the public. */
export function drawRole(world: World, userId: number | null, draw: Draw): Granted {
  const share = draw.chance(0.5) ? 0.35 : 0.75;
  const some = (): Set<string> => new Set(draw.some([...world.types.map(({ uid }) => uid), roleUid], share));
  const [finds, findsOne, updates] = [some(), some(), some()];
  const actionsOf = (uids: ReadonlySet<string>, name: string): string[] =>
    [...uids].map((uid) => (uid === fileUid ? `${files}.${name}` : `${uid}.${name}`));
  const isSingle = (uid: string): boolean => world.registry.types.get(uid)?.kind === 'singleType';
  const fields = drawFields(world, draw);
  const rows = new Map(
    draw
      .some(world.types, draw.chance(0.4) ? 0 : 0.25)
      .map((type) => [type.uid, drawRule(type, { world, userId, draw })] as const),
  );
  return {
    rights: {
      world,
      finds,
      findsOne,
      updates,
      hidden: new Map([...fields].map(([uid, names]) => [uid, new Set(names)] as const)),
      shown: new Map([...rows].map(([uid, { ids }]) => [uid, new Set(ids)] as const)),
    },
    actions: [
      'plugin::users-permissions.auth.callback',
      ...actionsOf(finds, 'find'),
      ...actionsOf(new Set([...findsOne].filter((uid) => !isSingle(uid))), 'findOne'),
      ...actionsOf(new Set([...updates].filter((uid) => uid.startsWith('api::'))), 'update'),
    ],
    rules: {
      rows: orNull([...rows].map(([uid, { rule }]) => [uid, rule] as const)),
      fields: orNull([...fields].map(([uid, names]) => [uid, asRule(uid, names, world, draw)] as const)),
    },
  };
}

const orNull = (rules: readonly (readonly [string, object])[]): object | null =>
  rules.length === 0 ? null : Object.fromEntries(rules);

function drawFields({ registry, types }: World, draw: Draw): Map<string, string[]> {
  const all = [...types, ...[...registry.types.values()].filter(({ kind }) => kind === 'component')];
  return new Map(
    draw.some(all, draw.chance(0.5) ? 0 : 0.2).map((type) => [type.uid, draw.some([...type.attributes.keys()], 0.4)] as const),
  );
}

function asRule(uid: string, deny: readonly string[], { registry }: World, draw: Draw): object {
  const names = [...(registry.types.get(uid)?.attributes.keys() ?? [])];
  return draw.chance(0.5) ? { deny } : { allow: names.filter((name) => !deny.includes(name)) };
}

interface Drawing {
  readonly world: World;
  readonly userId: number | null;
  readonly draw: Draw;
}

/** A row rule, and the ids that it leaves. */
function drawRule(type: ContentType, { world, userId, draw }: Drawing): { rule: object; ids: number[] } {
  const rows = world.rows.get(type.uid) ?? [];
  const links = [...type.attributes.values()].filter(
    (attribute): attribute is LinkAttribute => attribute.kind === 'relation' && attribute.storage.kind === 'own',
  );
  const link = draw.chance(0.5) ? draw.of(links.filter(({ target }) => world.rows.has(target))) : undefined;
  if (link !== undefined) {
    const wanted = link.target === userUid ? [userId ?? nobody] : [nobody, ...draw.some([1, 2, 3], 0.4)];
    const rule = { [link.name]: { id: link.target === userUid ? { $eq: '$user.id' } : { $in: wanted } } };
    return { rule, ids: rows.filter((row) => linkedIds(row, link.name).some((id) => wanted.includes(id))).map(({ _id }) => _id) };
  }
  const ids = draw.some(idsOf(type), 0.5);
  return { rule: { id: { $in: [...ids, nobody] } }, ids };
}

export const linkedIds = (row: Readonly<Record<string, unknown>>, name: string): number[] =>
  [row[name]].flat().filter((id): id is number => typeof id === 'number');

/** Whether entries of the type may be seen through relations; files always. */
export const maySee = ({ finds }: Rights, uid: string): boolean => uid === fileUid || finds.has(uid);

/** Whether an answer may name the attribute: not if the other side of its links is hidden either. */
export function mayUse({ hidden, world }: Rights, type: ContentType, attribute: Attribute): boolean {
  if (attribute.private || hidden.get(type.uid)?.has(attribute.name) === true) return false;
  if (attribute.kind !== 'relation') return true;
  if (attribute.storage.kind === 'morph') return hidden.get(attribute.target)?.has(attribute.storage.field) !== true;
  const link = linkOf(type, attribute);
  return [...hidden].every(([uid, names]) => {
    const other = world.registry.types.get(uid);
    const relations = [...(other?.attributes.values() ?? [])].filter(({ kind, name }) => kind === 'relation' && names.has(name));
    return other === undefined || relations.every((relation) => linkOf(other, relation as LinkAttribute) !== link);
  });
}

/** Where links are stored: the same for both sides. */
const linkOf = ({ uid }: ContentType, { name, target, storage }: LinkAttribute): string =>
  storage.kind === 'inverse' ? `${target}.${storage.field}` : `${uid}.${name}`;

export const isShown = ({ shown }: Rights, uid: string, { _id }: Pick<Row, '_id'>): boolean => shown.get(uid)?.has(_id) ?? true;

/** What an attribute leads to; null for scalars, and where that has no entries or no one type. */
export function targetOf(attribute: Attribute, { registry, rows }: World): ContentType | null {
  if (attribute.kind === 'component') return registry.types.get(attribute.component) ?? null;
  if (attribute.kind !== 'relation' && attribute.kind !== 'media') return null;
  return rows.has(attribute.target) ? (registry.types.get(attribute.target) ?? null) : null;
}
