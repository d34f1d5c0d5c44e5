import { ApiError } from '#base/errors.js';
import { fileAttributes, heldUniques, listedUniquePaths, sharedUniquePaths } from '#model/schema/attribute-places.js';
import {
  type Attribute,
  type ContentType,
  type LinkAttribute,
  type MorphAttribute,
  type Registry,
  type ScalarAttribute,
} from '#model/schema/content-type.js';
import { listsParts, type PartsAttribute, partsIn, uidOfPart } from '#model/schema/parts.js';
import { isCreator } from '#model/query/bind-selection.js';
import { isRecord, type Values } from '#base/values.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { linkRanks, localeGroup, trigramsOfDocument } from '#store/form/layout.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import { type HeldLink, hiddenValues, type Holder, holderKey, type StagedLink, type TransferredEntry } from './transferred.js';

/** What the conversion of an entry needs besides its type. */
interface FormContext {
  readonly registry: Registry;
  readonly defaultLocale: string;
  /** Returns the links of an entry or component, in their order. */
  readonly linksOf: (key: string) => readonly StagedLink[];
  /** The attributes of the source that cannot be stored, with the reasons, by uid and name. */
  readonly leftOut: Registry['leftOut'];
  /** The reasons why models are refused, by uid. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** Called with the reason if a value is left out. `where` names type, id and attribute. */
  readonly report: (reason: string, where: string) => void;
}

/** Returns an entry and the components in it, at any depth. Each comes before the components inside it. */
export function holdersIn(type: ContentType, entry: TransferredEntry, registry: Registry): readonly Holder[] {
  const parts = [...type.attributes.values()].flatMap((attribute) =>
    partsIn(attribute, entry.data[attribute.name], registry).flatMap(([component, item]) =>
      holdersIn(component, partOf(component, item), registry),
    ),
  );
  return [{ type: type.uid, id: entry.id }, ...parts];
}

const partOf = ({ uid }: ContentType, data: Values): TransferredEntry => ({
  type: uid,
  id: Number.isSafeInteger(data['id']) ? Number(data['id']) : 0,
  data,
});

/** Returns the document of an entry. Values that cannot be stored become null and are reported. */
export function toStoredForm(type: ContentType, entry: TransferredEntry, context: FormContext): EntryDocument {
  const values = valuesOf(type, entry, context);
  const ranks = ranksOf(type, entry, context);
  const uniques = heldUniques(listedUniquePaths(type, context.registry), values);
  return {
    _id: entry.id,
    ...values,
    ...(type.localized && { locale: values['locale'] ?? context.defaultLocale }),
    ...groupOf(type, entry, context),
    ...(Object.keys(ranks).length > 0 && { _ranks: ranks }),
    ...(Object.keys(uniques).length > 0 && { _unique: uniques }),
    ...trigramsOfDocument(type, values),
    ...hiddenValues(type.uid, entry.data),
  };
}

function valuesOf(type: ContentType, entry: TransferredEntry, context: FormContext): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const value = valueOf(attribute, entry, context);
    if (value !== undefined) values[attribute.name] = value;
  }
  reportLeftOut(entry, context);
  return values;
}

/** Reports the values of attributes that the type lacks, except empty ones. */
function reportLeftOut(entry: TransferredEntry, { leftOut, report }: FormContext): void {
  for (const [name, reason] of leftOut.get(entry.type) ?? []) {
    const value = entry.data[name] ?? null;
    if (value !== null && !(Array.isArray(value) && value.length === 0))
      report(`${name} of ${entry.type} cannot be stored: ${reason}`, holderKey(entry));
  }
}

/** Returns the stored value of an attribute; undefined if it is not stored. */
function valueOf(attribute: Attribute, entry: TransferredEntry, context: FormContext): unknown {
  if (attribute.kind === 'scalar')
    return castScalar(attribute, entry.data[attribute.name] ?? null, (reason) => {
      context.report(reason, `${holderKey(entry)} ${attribute.name}`);
    });
  if ('storage' in attribute) return isHeld(attribute) ? idsOf(attribute, entry, context) : undefined;
  if (attribute.kind === 'morph') return attribute.writable ? morphsOf(attribute, entry, context) : undefined;
  const parts = partsOf(attribute, entry, context);
  return listsParts(attribute) ? parts : (parts[0] ?? null);
}

/** Returns whether the entry stores the links. */
const isHeld = ({ storage }: LinkAttribute): boolean => storage.kind === 'own';

function castScalar(attribute: ScalarAttribute, value: unknown, report: (reason: string) => void): unknown {
  if (value === null) return null;
  try {
    return scalarTypes[attribute.type].cast(value, attribute.name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    report(`a value does not fit its type ${attribute.type}`);
    return null;
  }
}

function partsOf(attribute: PartsAttribute, entry: TransferredEntry, context: FormContext): object[] {
  return [entry.data[attribute.name]]
    .flat()
    .filter(isRecord)
    .flatMap((item) => {
      const uid = uidOfPart(attribute, item);
      const type = context.registry.types.get(uid);
      if (type === undefined) {
        const refused = context.problems.get(uid)?.join('; ');
        if (refused === undefined) context.report('a component is not among the models', uid);
        else context.report(`components ${uid} cannot be stored: the model is refused: ${refused}`, holderKey(entry));
        return [];
      }
      const part = partOf(type, item);
      const mark = attribute.kind === 'dynamiczone' ? { __component: type.uid } : {};
      return [{ id: part.id, ...mark, ...valuesOf(type, part, context) }];
    });
}

const linksAt = (name: string, entry: TransferredEntry, { linksOf }: FormContext): readonly StagedLink[] =>
  linksOf(holderKey(entry)).filter(({ field }) => field === name);

/** Returns the stored ids of a link. An entry without a creator has no value, as one that no administrator made. */
function idsOf(link: LinkAttribute, entry: TransferredEntry, context: FormContext): unknown {
  const ids = linksAt(link.name, entry, context).map(({ target }) => target);
  return link.many ? [...new Set(ids)] : (ids[0] ?? (isCreator(link) ? undefined : null));
}

function morphsOf({ name, many }: MorphAttribute, entry: TransferredEntry, context: FormContext): unknown {
  const links = linksAt(name, entry, context).map(({ type, target, rank }) => ({ __type: type, id: target, rank: rank ?? 0 }));
  return many ? links : (links[0] ?? null);
}

/** Returns the positions of an entry in the lists of its targets, for relations that are shown from both sides. */
function ranksOf(type: ContentType, entry: TransferredEntry, context: FormContext): Record<string, unknown> {
  const linkAttributes = [...type.attributes.values()].filter(
    (attribute) => attribute.kind === 'relation' && isHeld(attribute) && attribute.inverse !== null,
  ) as LinkAttribute[]; // of these kinds
  const ranks = linkAttributes.flatMap((link) => {
    const rank = rankOf(link, linksAt(link.name, entry, context));
    return rank === undefined ? [] : [[link.name, rank]];
  });
  const files = fileAttributes(type, context.registry).flatMap((name) => {
    const numbers = fileNumbers(type.attributes.get(name), entry, context);
    return numbers.length === 0 ? [] : [[name, numbers.reduce((first, number) => Math.min(first, number))]];
  });
  return Object.fromEntries([...ranks, ...files, ...placeInGroup(type, entry, context)]);
}

/** Returns the place of an entry in the order of its localizations: the newest, the oldest, then the others from the newest on. */
function placeInGroup({ localized }: ContentType, entry: TransferredEntry, context: FormContext): [string, number][] {
  const others = localized ? linksAt(linkRanks.order, entry, context).map(({ target }) => target) : [];
  if (others.length === 0) return [];
  const isOldest = others.every((other) => other > entry.id);
  return [[linkRanks.order, isOldest ? Math.max(...others) - 0.5 : entry.id]];
}

/** Returns the numbers of the links of an attribute to files. Archives contain links in the order in which they were made. */
function fileNumbers(attribute: Attribute | undefined, entry: TransferredEntry, context: FormContext): readonly number[] {
  if (attribute?.kind === 'media') return linksAt(attribute.name, entry, context).map(({ _id }) => _id);
  if (attribute === undefined) return [];
  return partsIn(attribute, entry.data[attribute.name], context.registry).flatMap(([type, item]) =>
    [...type.attributes.values()].flatMap((one) => fileNumbers(one, partOf(type, item), context)),
  );
}

/** Returns the rank of a relation; undefined if its link has none, so that the entry comes before those with a rank. */
function rankOf({ many }: LinkAttribute, links: readonly HeldLink[]): unknown {
  if (!many) return links[0] === undefined ? null : (links[0].rank ?? undefined);
  return Object.fromEntries(links.flatMap(({ target, rank }) => (rank === null ? [] : [[String(target), rank]])));
}

/** Returns the localization group of an entry, which is the least id of its localizations. The entry with this id leads it. */
function groupOf(type: ContentType, entry: TransferredEntry, context: FormContext): Values {
  if (type.kind === 'singleType') return localeGroup.match(1);
  if (!type.localized) return {};
  const others = linksAt(linkRanks.order, entry, context).map(({ target }) => target);
  const group = Math.min(entry.id, ...others);
  const leads = group === entry.id && sharedUniquePaths(type, context.registry).length > 0;
  return { ...localeGroup.match(group), ...(leads && localeGroup.leading) };
}
