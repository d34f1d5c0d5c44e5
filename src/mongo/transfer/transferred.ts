import type { Registry } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';

/** An entry or a component, by its type and id. */
export interface Holder {
  readonly type: string;
  readonly id: number;
}

export const holderKey = ({ type, id }: Holder): string => `${type}:${String(id)}`;

/** An entry as archives contain it: values by attribute, components embedded, without its links. */
export interface TransferredEntry extends Holder {
  readonly data: Values;
}

/** One side of a link. */
export interface LinkEnd extends Holder {
  /** The attribute that shows the link on this side; null if there is none. */
  readonly field: string | null;
  /** The place of the other side in the list of this one; null if it has none. */
  readonly position: number | null;
}

/** A link as archives contain it. */
export interface TransferredLink {
  /** Whether the targets are of several types, or the link leads to a file. */
  readonly isMorph: boolean;
  /** The side that owns the relation; the file of a media attribute. */
  readonly left: LinkEnd;
  readonly right: LinkEnd;
}

/** A link at the entry or component that keeps it. */
export interface HeldLink {
  /** The `holderKey` of the entry or component. */
  readonly holder: string;
  readonly field: string;
  readonly target: number;
  /** The uid of the target if the attribute is polymorphic, else null. */
  readonly type: string | null;
  /** The place in the list of the holder; null: before those that have one. */
  readonly position: number | null;
  /** The place in the list of the target; null if it has none. */
  readonly rank: number | null;
}

/** A staged link with its number in the source. */
export interface StagedLink extends HeldLink {
  readonly _id: number;
}

/** Returns the link at the side that keeps it, or why nothing keeps it. */
export function placeLink(link: TransferredLink, registry: Registry): HeldLink | string {
  const { left, right, isMorph } = link;
  const attribute = registry.types.get(left.type)?.attributes.get(left.field ?? '');
  if (attribute === undefined) return `${left.type} has no relation ${left.field ?? ''}`;
  if (isMorph && attribute.kind === 'morph') return placeMorph(link, attribute.writable, registry);
  if (attribute.kind !== 'relation') return `${left.type} has no relation ${left.field ?? ''}`;
  switch (attribute.storage.kind) {
    case 'own':
    case 'localizations':
      return { ...heldAt(left, attribute.name), target: right.id, type: null, rank: right.position };
    case 'inverse':
      return { ...heldAt(right, attribute.storage.field), target: left.id, type: null, rank: left.position };
    case 'morph':
      return `${left.type} keeps no links in ${left.field ?? ''}`;
  }
}

const heldAt = (end: LinkEnd, field: string) => ({ holder: holderKey(end), field, position: end.position });

/** Files are linked from their side in archives, and kept at the media attributes here. */
function placeMorph({ left, right }: TransferredLink, isKept: boolean, { types }: Registry): HeldLink | string {
  if (isKept)
    return { ...heldAt({ ...left, position: null }, left.field ?? ''), target: right.id, type: right.type, rank: right.position };
  const holder = types.get(right.type)?.attributes.get(right.field ?? '');
  if (holder?.kind !== 'media') return `${right.type} has no media ${right.field ?? ''}`;
  return { ...heldAt(right, holder.name), target: left.id, type: null, rank: null };
}

/** Fields that types store beside their attributes and archives list among the values, with their forms. Strapi ignores them. */
const hidden: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  'plugin::users-permissions.user': {
    _subject: (value) => typeof value === 'string',
    _tokenVersion: (value) => Number.isSafeInteger(value),
  },
  'plugin::users-permissions.role': {
    _rules: (value) => isRecord(value) && isRecord(value['fields']) && isRecord(value['rows']),
  },
};

/** Returns those of these values that have their form. */
export const hiddenValues = (uid: string, values: Values): Values =>
  Object.fromEntries(
    Object.entries(hidden[uid] ?? {}).flatMap(([name, fits]) => (fits(values[name]) ? [[name, values[name]]] : [])),
  );
