import { unlimited } from '#base/limits/budget.js';
import { type LinkPath, linkPaths } from '#model/schema/attribute-places.js';
import { alsoInDrafts, draftField } from '#model/schema/drafts-beside.js';
import {
  type ContentType,
  type LinkAttribute,
  type MorphAttribute,
  type Registry,
  servedAs,
  uidsOf,
} from '#model/schema/content-type.js';
import { maximumLinks } from '#model/schema/link-input.js';
import { storedIds } from '#model/schema/stored-values.js';
import { hasDraft } from '../form/draft.js';
import { linkRanks, morphLinks, partsOf } from '../form/layout.js';
import { is, type Match, matchesAll, matchesAny } from '../form/matches.js';
import { updateInside } from '../form/update-inside.js';
import type { Database, Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import type { Store } from '../store.js';
import { bulkWrite } from './bulk-write.js';
import { type Change, changeOne, compileChange } from './compile-change.js';
import { linking, type Owner, rankOf, storedLinks } from './link-changes.js';

/** Links to an entry that other entries store or have stored, all at one place of their type. */
export interface FormerLinks {
  /** The uid of the type of the other entries. */
  readonly holder: string;
  /** The attributes with components that lead to the link, with the uid of the component in a dynamic zone. */
  readonly steps: readonly { readonly name: string; readonly zone: string | null }[];
  /** The name of the attribute with the link. */
  readonly attribute: string;
  readonly links: readonly FormerLink[];
}

interface FormerLink {
  /** The id of the other entry. */
  readonly from: number;
  /** The id of its component that has the link; absent if the entry itself has it. */
  readonly part?: number;
  readonly rank?: number;
}

/** Maximum number of links that are returned, and set again, together. */
const together = 1000;

/** Returns all links that other entries store to an entry. Sends one command for each collection that may have some. */
export async function readFormerLinks(owner: Owner, registry: Registry, database: Database): Promise<readonly FormerLinks[]> {
  const formerLinks: FormerLinks[] = [];
  for (const { collection, links } of storedLinks.referrersOf(owner.type, registry)) {
    const filter = matchesAny(...links.map((link) => matchLinked(link, owner)));
    const roots = links.map(({ steps, attribute }) => [steps[0]?.name ?? attribute.name, 1] as const);
    const projection = { ...Object.fromEntries(roots), _ranks: 1 };
    const rows = await readAll({ ...database, budget: unlimited }, { find: collection, filter, projection });
    for (const link of links)
      formerLinks.push(
        ...inPortions(
          link,
          rows.flatMap((row) => linksIn(row, link, owner)),
        ),
      );
  }
  return formerLinks;
}

function matchLinked(link: LinkPath, owner: Owner): Match {
  const { steps, attribute } = link;
  if (steps.length === 0) return linking(attribute, owner);
  const match = (path: string): Match => linking(attribute, owner, path);
  const { filter } = updateInside(link, { match, change: () => ({}) });
  return steps[0]?.name === draftField ? { ...filter, ...hasDraft } : filter; // an index has the entries with drafts
}

function inPortions({ holders, steps, attribute }: LinkPath, links: readonly FormerLink[]): FormerLinks[] {
  const place = { steps: steps.map(({ name, zone }) => ({ name, zone })), attribute: attribute.name };
  return Array.from({ length: Math.ceil(links.length / together) }, (_, index) => ({
    holder: holders[0]?.uid ?? '',
    ...place,
    links: links.slice(index * together, (index + 1) * together),
  }));
}

function linksIn(row: Document, { steps, attribute }: LinkPath, owner: Owner): FormerLink[] {
  const from = Number(row['_id']);
  const holders = steps.reduce<readonly Document[]>(
    (parts, { name, zone }) =>
      parts.flatMap((part) => partsOf(part[name])).filter((part) => zone === null || part['__component'] === zone),
    [row],
  );
  return holders
    .filter((holder) => holdsLink(holder, attribute, owner))
    .map((holder) => {
      const inPart = isInPart(steps);
      const rank = !inPart || attribute.kind === 'morph' ? rankOf(holder, attribute, owner) : null;
      return { from, ...(inPart && { part: Number(holder['id']) }), ...(rank !== null && { rank }) };
    });
}

/** Returns whether a link is in a component, not in an entry or the draft beside it. */
const isInPart = (steps: LinkPath['steps']): boolean => steps.some(({ name }) => name !== draftField);

function holdsLink(holder: Document, { kind, name }: LinkAttribute | MorphAttribute, { type, id }: Owner): boolean {
  if (kind !== 'morph') return storedIds(holder[name]).includes(id);
  return morphLinks(holder[name]).some((link) => uidsOf(type).includes(link.__type) && link.id === id);
}

/**
 * Sets links to an entry again, where the other entry and its component still exist and have room: an attribute to one that links to
 * nothing, or one to many that is not full. In a list they come last.
 */
export async function linkAgain(owner: Owner, former: FormerLinks, registry: Registry, store: Store): Promise<void> {
  const place = placeOf(former, owner.type, registry);
  const collection = place?.holders[0]?.collection;
  if (place === null || collection === undefined) return;
  await bulkWrite(
    store,
    collection,
    former.links.map((link) => operationOf(place, owner, link)),
  );
}

/** Returns the place of links in the models in force; null if they have none for them. */
function placeOf({ holder, steps, attribute }: FormerLinks, { uid }: ContentType, registry: Registry): LinkPath | null {
  const type = [...registry.types.values()].find((one) => uidsOf(one).includes(holder));
  if (type === undefined) return null;
  const names = [...steps.map(({ name }) => name), attribute];
  const isPlace = (link: LinkPath): boolean =>
    [...link.steps.map(({ name }) => name), link.attribute.name].join('.') ===
      link.holders.map((one, index) => servedAs(one, names[index] ?? '')).join('.') &&
    link.steps.length === steps.length &&
    link.steps.every(({ zone }, index) => zone === steps[index]?.zone);
  const linkPath = alsoInDrafts(type, linkPaths(type, registry)).find(isPlace);
  if (linkPath === undefined) return null;
  const leadsThere =
    linkPath.attribute.kind === 'morph' ? (linkPath.attribute.targets?.includes(uid) ?? true) : linkPath.attribute.target === uid;
  return leadsThere ? linkPath : null;
}

function operationOf(place: LinkPath, owner: Owner, link: FormerLink): Document {
  const { steps, attribute } = place;
  const { name } = attribute;
  if (!isInPart(steps)) return operationOutside(place, owner, link);
  const { from, part, rank } = link;
  const { filter, ...update } = updateInside(place, {
    match: (path) => ({ [`${path.slice(0, -name.length)}id`]: part, ...roomAt(path, attribute) }),
    change: (path) => compileChange(linkAt(path, attribute, owner, rank)),
  });
  return { updateOne: { filter: { _id: from, ...filter }, ...update } };
}

/** Returns the operation on a link of an entry, or of the draft beside it, which must still have the attribute. */
function operationOutside({ steps, attribute }: LinkPath, owner: Owner, { from, rank }: FormerLink): Document {
  const { name, many, kind } = attribute;
  const prefix = steps.length === 0 ? '' : `${draftField}.`;
  const path = `${prefix}${name}`;
  const change = linkAt(path, attribute, owner, rank);
  const ranked = `${prefix}${many ? linkRanks.path(name, owner.id) : linkRanks.path(name)}`;
  const ranks = kind === 'morph' || rank === undefined ? {} : { [ranked]: rank };
  const match = { _id: from, ...roomAt(path, attribute) };
  const inDraft = matchesAll(match, hasDraft, { [path]: is.present });
  return changeOne(prefix === '' ? match : inDraft, { ...change, set: { ...change.set, ...ranks } });
}

const roomAt = (path: string, { many }: LinkAttribute | MorphAttribute): Match =>
  many ? { [`${path}.${String(maximumLinks - 1)}`]: is.absent } : { [path]: null };

function linkAt(path: string, { kind, many }: LinkAttribute | MorphAttribute, { type, id }: Owner, rank?: number): Change {
  const link = kind === 'morph' ? { __type: type.uid, id, ...(rank !== undefined && { rank }) } : id;
  if (!many) return { set: { [path]: link } };
  return kind === 'morph' ? { append: { [path]: link } } : { add: { [path]: link } };
}
