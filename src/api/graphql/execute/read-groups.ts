import { isDeepStrictEqual } from 'node:util';
import { readGroupTree, type TreeGroup } from '#content/group-tree.js';
import { actionOf, allows } from '#model/query/access.js';
import { noPopulate, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isId } from '#base/values.js';
import type { Row } from '../../code/rows.js';
import type { GraphqlContext } from '../graphql-context.js';
import { type ConnectionGroups, type GroupNode, groupsByParent } from '../group-nodes.js';
import { isOfField, type SelectedEntries, type SelectedGroups } from '../selection/read-groups.js';
import { mergeSelections } from '../selection/read-selection.js';
import type { TypeSelection } from '../selection/reading-context.js';
import { readById } from './load-on-demand.js';

/**
 * Reads the groups that a connection selects; null if there are none, or the caller may not group, which the resolvers of their fields
 * say. Sends the commands of `readGroupTree`, and one for the related entries of each type.
 */
export async function readConnectionGroups(
  type: ContentType,
  query: Query,
  selected: SelectedGroups | null,
  context: GraphqlContext,
): Promise<GroupNode | null> {
  const { content, running } = context;
  if (selected === null || !allows(content.bind.access, actionOf(type, 'aggregate'))) return null;
  const entries: Query = { ...query, sort: [], pagination: null, fields: ['id'], populate: noPopulate };
  const groupings = [...selected.groupings.values()];
  const { groups, total } = await readGroupTree(
    type,
    { entries, groupings, withTotal: selected.withTotal },
    running.config.api.aggregate,
    content,
  );
  const byText = [...selected.groupings.keys()].map((text, index) => [text, groups[index] ?? []] as const);
  const found = await readKeyEntries(selected.entries, { groups: new Map(byText), query }, context);
  const tree: ConnectionGroups = {
    total,
    groupings: new Map(byText.map(([text, some]) => [text, groupsByParent(some)])),
    entryOf: (id, nodes) => found.find(({ one }) => isOfField(one, nodes))?.rows.get(id) ?? null,
  };
  return { tree, grouping: '', group: byText.find(([text]) => text === '')?.[1][0] ?? null };
}

/** The entries that several fields select, and one command reads. */
interface LookUp {
  readonly target: ContentType;
  readonly selected: TypeSelection;
  readonly ids: ReadonlySet<number>;
  readonly fields: readonly SelectedEntries[];
}

/** The entries of a field, by id. */
interface FieldEntries {
  readonly one: SelectedEntries;
  readonly rows: ReadonlyMap<unknown, Row>;
}

type GroupsByText = ReadonlyMap<string, readonly TreeGroup[]>;

/** The groups beside whose keys entries are selected, and the query of the entries that are grouped. */
interface KeyGroups {
  readonly groups: GroupsByText;
  readonly query: Pick<Query, 'showsDrafts'>;
}

async function readKeyEntries(
  entries: readonly SelectedEntries[],
  { groups, query: { showsDrafts } }: KeyGroups,
  context: GraphqlContext,
): Promise<readonly FieldEntries[]> {
  const drafts = showsDrafts === true ? { showsDrafts } : {};
  const lookUps = entries.reduce<readonly LookUp[]>((all, one) => addField(all, one, idsOf(one, groups)), []);
  const found = lookUps.map(async ({ target, selected, ids, fields }) => {
    const rows = await readById(target, [...ids], { ...selected, ...drafts }, context);
    return fields.map((one) => ({ one, rows }));
  });
  return (await Promise.all(found)).flat();
}

/** Returns the ids of the keys beside which a field selects entries. */
const idsOf = ({ groupings }: SelectedEntries, groups: GroupsByText): readonly number[] =>
  [...groupings].flatMap((text) => groups.get(text) ?? []).flatMap(({ keys }) => keys.slice(-1).filter(isId));

/** Adds a field to the look-up of its type, unless the two populate something by the same key in different ways. */
function addField(lookUps: readonly LookUp[], field: SelectedEntries, ids: readonly number[]): readonly LookUp[] {
  const { target, selected } = field;
  const same = lookUps.find((one) => one.target === target && agree(one.selected, selected));
  if (same === undefined) return [...lookUps, { target, selected, ids: new Set(ids), fields: [field] }];
  const merged = {
    target,
    selected: unite(same.selected, selected),
    ids: new Set([...same.ids, ...ids]),
    fields: [...same.fields, field],
  };
  return lookUps.map((one) => (one === same ? merged : one));
}

const agree = ({ populate }: TypeSelection, other: TypeSelection): boolean =>
  populate.fields.every((field) =>
    other.populate.fields.every((another) => another.key !== field.key || isDeepStrictEqual(another, field)),
  );

/** Returns the union of two selections that agree. */
function unite(one: TypeSelection, other: TypeSelection): TypeSelection {
  const keys = one.populate.fields.map(({ key }) => key);
  const added = other.populate.fields.filter(({ key }) => !keys.includes(key));
  return mergeSelections([one, { ...other, populate: { all: false, fields: added } }]);
}
