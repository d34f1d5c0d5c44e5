import type { Database } from '#store/send/database.js';
import { openCodeStore, viewPrefix } from '#store/stores/code-store.js';
import { addedTo, shapeOf } from '#model/schema/added-attributes.js';
import type { ScalarType } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { type PanelAttributes, panelAttributes } from './describe-model.js';
import { isRecord } from '#base/values.js';
import { isScheduled, isScheduledName } from '#model/schema/scheduled.js';
import { internal } from '../rights/field-paths.js';

/** How the panel shows the entries of a type or a component. */
export interface ViewConfiguration {
  readonly settings: ViewSettings;
  /** By attribute. */
  readonly metadatas: Readonly<Record<string, Metadata>>;
  readonly layouts: Layouts;
}

interface ViewSettings {
  readonly bulkable: boolean;
  readonly filterable: boolean;
  readonly searchable: boolean;
  readonly pageSize: number;
  /** The attribute that stands for an entry in lists of relations. */
  readonly mainField: string;
  readonly defaultSortBy: string;
  readonly defaultSortOrder: 'ASC' | 'DESC';
}

interface Metadata {
  readonly edit: Readonly<Record<string, unknown>>;
  readonly list: Readonly<Record<string, unknown>>;
}

interface Layouts {
  readonly list: readonly string[];
  readonly edit: readonly (readonly PlacedField[])[];
}

interface PlacedField {
  readonly name: string;
  readonly size: number;
}

type Field = (typeof scalarTypes)[ScalarType]['panel'];

const full = 12;

/** The fields of attributes by type. Checkbox and number are those of custom fields. */
const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['dynamiczone', { width: full, sorts: false, listed: false }],
  ['component', { width: full, sorts: false, listed: false }],
  ['checkbox', { width: 4, sorts: true, listed: true }],
  ['number', { width: 4, sorts: true, listed: true }],
  ['media', { width: 6, sorts: false, listed: true }],
  ['relation', { width: 6, sorts: true, listed: true }],
  ...Object.entries(scalarTypes).map(([type, { panel }]) => [type, panel] as const),
]);

/** Returns the widths that the panel offers for fields. Points are shown as JSON. */
export const fieldSizes = Object.fromEntries(
  [...fields]
    .filter(([type]) => type !== 'point')
    .map(([type, { width }]) => [type, { default: width, isResizable: width < full }]),
);

/** Returns the field of a type; that of a string for other types. */
const fieldOf = (type: string): Field => fields.get(type) ?? scalarTypes.string.panel;

const isToOne = (relation = ''): boolean => relation.endsWith('ToOne');

const isSortable = ({ type, relation }: { readonly type: string; readonly relation?: string }): boolean =>
  fieldOf(type).sorts && (type !== 'relation' || isToOne(relation));

/** Returns the first attribute of type `string`, else the id. */
const mainFieldOf = (model: Model): string =>
  Object.entries(model.attributes).find(([, { type }]) => type === 'string')?.[0] ?? 'id';

/** Returns whether forms show an attribute of a model. Values that the service sets itself are hidden. */
const isVisible = (model: Model, name: string, attribute: PanelAttributes[string]): boolean =>
  !addedTo(shapeOf(model)).has(name) && attribute.visible !== false && !isSecret(name, attribute);

const isSecret = (name: string, attribute: PanelAttributes[string]): boolean =>
  internal.has(name) && attribute['configurable'] === false;

/** Returns the default configuration of a type or component. `models` are all models, by uid. */
export function defaultConfiguration(model: Model, models: ReadonlyMap<string, Model>): ViewConfiguration {
  const attributes = panelAttributes(model);
  const mainField = mainFieldOf(model);
  return {
    settings: {
      ...{ bulkable: true, filterable: true, searchable: true, pageSize: 10 },
      ...{ mainField, defaultSortBy: mainField, defaultSortOrder: 'ASC' as const },
    },
    metadatas: Object.fromEntries(
      Object.entries(attributes).map(([name, each]) => [name, metadataOf(name, each, { model, models })]),
    ),
    layouts: { list: columnsOf(listable(model), isScheduled(model)), edit: rowsOf(placedIn(model), attributes) },
  };
}

interface Owner {
  readonly model: Model;
  readonly models: ReadonlyMap<string, Model>;
}

function metadataOf(name: string, attribute: PanelAttributes[string], { model, models }: Owner): Metadata {
  if (name === 'id') return { edit: {}, list: { label: name, searchable: true, sortable: true } };
  const sortable = isSortable(attribute);
  const target = typeof attribute.target === 'string' ? models.get(attribute.target) : undefined;
  const mainField = attribute.type === 'relation' && target !== undefined ? { mainField: mainFieldOf(target) } : {};
  const visible = isVisible(model, name, attribute);
  return {
    edit: { ...{ label: name, description: '', placeholder: '', visible, editable: true }, ...mainField },
    // The lists of components are not shown.
    list: { ...{ label: name, searchable: sortable, sortable }, ...(model.kind !== undefined && mainField) },
  };
}

/** Returns the attributes that lists can show. */
const listable = (model: Model): string[] =>
  Object.entries(panelAttributes(model)).flatMap(([name, attribute]) => {
    const isHidden = attribute.visible === false || isSecret(name, attribute);
    return fieldOf(attribute.type).listed && !isHidden ? [name] : [];
  });

/** Returns the columns of a list: the first four attributes, and the time at which a draft publishes itself. */
const columnsOf = (names: readonly string[], hasSchedule: boolean): string[] => [
  ...names.filter((name) => !(hasSchedule && isScheduledName(name))).slice(0, 4),
  ...(hasSchedule ? ['publishAt'] : []),
];

/** Returns the attributes that forms can show. */
export const editable = (model: Model): string[] =>
  Object.entries(panelAttributes(model)).flatMap(([name, attribute]) =>
    name !== 'id' && isVisible(model, name, attribute) ? [name] : [],
  );

/** Returns the attributes that forms show among the fields by default. Times of scheduled publishing are in the side of the form. */
const placedIn = (model: Model): string[] => editable(model).filter((name) => !(isScheduled(model) && isScheduledName(name)));

/** Places fields in rows, in their order. A wide field is alone in its row. */
function rowsOf(names: readonly string[], attributes: PanelAttributes): PlacedField[][] {
  const rows: PlacedField[][] = [];
  for (const name of names) {
    const size = fieldOf(attributes[name]?.type ?? 'string').width;
    const last = rows.at(-1);
    const used = last?.reduce((sum, field) => sum + field.size, 0) ?? full;
    if (last !== undefined && used + size <= full) last.push({ name, size });
    else rows.push([{ name, size }]);
  }
  return rows;
}

/**
 * Returns a stored configuration that follows the model: attributes that were removed are left out, and new ones are added at the
 * end. What a user has arranged stays.
 */
function followModel(stored: ViewConfiguration, model: Model, models: ReadonlyMap<string, Model>): ViewConfiguration {
  const fallback = defaultConfiguration(model, models);
  const attributes = panelAttributes(model);
  const known = (name: string): boolean => Object.hasOwn(attributes, name);
  const orElse = (name: string, other: string): string => (known(name) ? name : other);
  const { mainField, defaultSortBy } = stored.settings;
  const list = stored.layouts.list.filter(known);
  const rows = stored.layouts.edit.map((row) => row.filter(({ name }) => known(name))).filter((row) => row.length > 0);
  const placed = new Set(rows.flat().map(({ name }) => name));
  const isNew = (name: string): boolean => !Object.hasOwn(stored.metadatas, name) && !placed.has(name);
  return {
    settings: {
      ...stored.settings,
      mainField: orElse(mainField, fallback.settings.mainField),
      defaultSortBy: orElse(defaultSortBy, fallback.settings.defaultSortBy),
    },
    metadatas: Object.fromEntries(
      Object.entries(fallback.metadatas)
        .filter(([name]) => Object.hasOwn(stored.metadatas, name) || !addedTo(shapeOf(model)).has(name))
        .map(([name, metadata]) => [name, stored.metadatas[name] ?? metadata]),
    ),
    layouts: {
      list: list.length > 0 ? list : fallback.layouts.list,
      edit: [...rows, ...rowsOf(placedIn(model).filter(isNew), attributes)],
    },
  };
}

/** The key of a configuration in the store of Strapi v4, so that those of archives and running projects can be taken over. */
const keyOf = ({ uid, kind }: Model): string => `${viewPrefix}${kind === undefined ? 'components' : 'content_types'}::${uid}`;

/** Reads the configuration of a model as it is in force. */
export async function readView(model: Model, models: ReadonlyMap<string, Model>, database: Database): Promise<ViewConfiguration> {
  const stored = await openCodeStore(database).get(keyOf(model));
  return isConfiguration(stored) ? followModel(stored, model, models) : defaultConfiguration(model, models);
}

/** Returns whether a stored value has the form of a configuration. Code may have stored another one before there was the model. */
function isConfiguration(stored: unknown): stored is ViewConfiguration {
  const { settings, metadatas, layouts } = isRecord(stored) ? stored : {};
  if (!isRecord(settings) || !isRecord(metadatas) || !isRecord(layouts)) return false;
  const { list, edit } = layouts;
  const isRow = (row: unknown): boolean => Array.isArray(row) && row.every(isRecord);
  return Array.isArray(list) && list.every((name) => typeof name === 'string') && Array.isArray(edit) && edit.every(isRow);
}

/** Stores the configuration of a model. */
export const writeView = (model: Model, configuration: ViewConfiguration, database: Database): Promise<void> =>
  openCodeStore(database).set(keyOf(model), { uid: model.uid, ...configuration });
