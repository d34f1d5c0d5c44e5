import type { Registry } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';

/** The type and id of an entry or component. */
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
  /** The position of the other side in the list of this one; null if it has none. */
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

/** A link from the side of the entry or component that stores it. */
export interface HeldLink {
  /** The `holderKey` of the entry or component. */
  readonly holder: string;
  readonly field: string;
  readonly target: number;
  /** The uid of the target if the attribute is polymorphic; otherwise null. */
  readonly type: string | null;
  /** The position in the list of the holder; null if it comes before links with a position. */
  readonly position: number | null;
  /** The position in the list of the target; null if it has none. */
  readonly rank: number | null;
}

/** A staged link with its number in the source. */
export interface StagedLink extends HeldLink {
  readonly _id: number;
}

/** Returns the link from the side that stores it, or the reason why neither side does. */
export function placeLink(link: TransferredLink, registry: Registry): HeldLink | string {
  const { left, right, isMorph } = link;
  const attribute = registry.types.get(left.type)?.attributes.get(left.field ?? '');
  if (isMorph && attribute?.kind === 'morph') return placeMorph(link, attribute.writable, registry);
  if (attribute?.kind !== 'relation') return `${left.type} has no relation ${left.field ?? ''}`;
  switch (attribute.storage.kind) {
    case 'own':
    case 'localizations':
      return { ...heldAt(left, attribute.name), target: right.id, type: null, rank: right.position };
    case 'inverse':
      return { ...heldAt(right, attribute.storage.field), target: left.id, type: null, rank: left.position };
    case 'morph':
      return `${left.type} stores no links in ${left.field ?? ''}`;
  }
}

const heldAt = (end: LinkEnd, field: string) => ({ holder: holderKey(end), field, position: end.position });

/**
 * Returns a polymorphic link from the side that stores it. In archives the links of files belong to the file, in Mangrove to the
 * media attribute.
 */
function placeMorph({ left, right }: TransferredLink, isKept: boolean, { types }: Registry): HeldLink | string {
  if (isKept)
    return { ...heldAt({ ...left, position: null }, left.field ?? ''), target: right.id, type: right.type, rank: right.position };
  const holder = types.get(right.type)?.attributes.get(right.field ?? '');
  if (holder?.kind !== 'media') return `${right.type} has no media ${right.field ?? ''}`;
  return { ...heldAt(right, holder.name), target: left.id, type: null, rank: null };
}

/**
 * Fields that types store besides their attributes, with checks of their form. Archives contain them among the values; Strapi
 * ignores them.
 */
const hidden: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  'plugin::users-permissions.user': {
    _subject: (value) => typeof value === 'string',
    _tokenVersion: (value) => Number.isSafeInteger(value),
    _tokensFrom: (value) => Number.isSafeInteger(value),
    _chosenEmail: (value) => typeof value === 'boolean',
  },
  'plugin::users-permissions.role': {
    _rules: (value) => isRecord(value) && isRecord(value['fields']) && isRecord(value['rows']),
  },
};

/** Returns the values of such fields that have the right form. */
export const hiddenValues = (uid: string, values: Values): Values =>
  Object.fromEntries(
    Object.entries(hidden[uid] ?? {}).flatMap(([name, fits]) => (fits(values[name]) ? [[name, values[name]]] : [])),
  );
