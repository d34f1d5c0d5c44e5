import { addedToSome } from '#model/schema/added-attributes.js';
import type { Model } from '#model/schema/model.js';
import { isRecord, itemsOf, type Values } from '#base/values.js';
import { panelAttributes } from '../content-manager/describe-model.js';
import { defaultConfiguration, editable, type ViewConfiguration } from '../content-manager/view-configuration.js';

/** A configuration that Strapi has stored, as far as a model has its attributes. */
interface StrapiView {
  /** In the form of a configuration; its values are not checked. */
  readonly view: ViewConfiguration;
  /** Attributes that the configuration names and the model lacks. */
  readonly lost: readonly string[];
}

/** Returns the configuration in a stored value of Strapi v3 or v4. */
export function readStrapiView(stored: unknown, model: Model, models: ReadonlyMap<string, Model>): StrapiView {
  const { settings, metadatas, layouts } = isRecord(stored) ? stored : {};
  const attributes = panelAttributes(model);
  const fallback = defaultConfiguration(model, models);
  const named = metadatasIn(metadatas);
  const { list, rows } = layoutsIn(layouts);
  const isKnown = (name: string): boolean => Object.hasOwn(attributes, name);
  const placeable = new Set(editable(model));
  const edit = rows.map((row) => row.filter(({ name }) => placeable.has(name))).filter((row) => row.length > 0);
  const view = {
    settings: { ...fallback.settings, ...settingsIn(settings, isKnown) },
    metadatas: Object.fromEntries(named.filter(([name]) => isKnown(name))),
    layouts: { list: list.filter(isKnown), edit },
  };
  const names = [...named.map(([name]) => name), ...list, ...rows.flat().map(({ name }) => name)];
  const lost = [...new Set(names)].filter((name) => !isKnown(name) && !unshown.has(name));
  return { view: view as ViewConfiguration, lost }; // checked by the caller
}

/** Attributes of Strapi v3 and v4 that the panel does not show as fields. */
const unshown: ReadonlySet<string> = new Set([
  ...addedToSome,
  ...['strapi_stage', 'strapi_assignee'],
  ...['_id', 'created_at', 'updated_at', 'published_at', 'created_by', 'updated_by'],
]);

const settingNames = ['bulkable', 'filterable', 'searchable', 'pageSize', 'mainField', 'defaultSortBy', 'defaultSortOrder'];

/** Returns the settings that are there. Attributes that the model lacks are left out, so that the default ones take their place. */
function settingsIn(value: unknown, isKnown: (name: string) => boolean): Values {
  const settings = pick(value, settingNames);
  const isMissing = (name: string): boolean => ['mainField', 'defaultSortBy'].includes(name) && !isKnown(String(settings[name]));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isMissing(name)));
}

const shown = {
  edit: ['label', 'description', 'placeholder', 'visible', 'editable', 'mainField'],
  list: ['label', 'searchable', 'sortable', 'mainField'],
} as const;

const metadatasIn = (value: unknown): (readonly [name: string, metadata: object])[] =>
  Object.entries(isRecord(value) ? value : {}).map(([name, metadata]) => {
    const { edit, list } = isRecord(metadata) ? metadata : {};
    return [name, { edit: textual(pick(edit, shown.edit)), list: textual(pick(list, shown.list)) }] as const;
  });

/** Returns values without a main field that is not the name of an attribute. */
const textual = ({ mainField, ...values }: Values): Values => ({
  ...values,
  ...(typeof mainField === 'string' && { mainField }),
});

interface PlacedName {
  readonly name: string;
  readonly size: unknown;
}

/** Returns the columns and the rows of fields. Strapi v3 lists relations beside the other fields. */
function layoutsIn(value: unknown): { readonly list: readonly string[]; readonly rows: readonly (readonly PlacedName[])[] } {
  const { list, edit, editRelations } = isRecord(value) ? value : {};
  const rows = itemsOf(edit).map((row) =>
    itemsOf(row).flatMap((field) => (isRecord(field) ? [{ name: String(field['name']), size: field['size'] }] : [])),
  );
  const relations = itemsOf(editRelations).map((name) => [{ name: String(name), size: 6 }]);
  return { list: itemsOf(list).map(String), rows: [...rows, ...relations] };
}

const pick = (value: unknown, names: readonly string[]): Values =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([name, part]) => names.includes(name) && part != null)) : {};
