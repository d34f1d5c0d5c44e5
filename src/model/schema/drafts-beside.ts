import type { AttributePlace } from './attribute-places.js';
import type { ContentType, Registry } from './content-type.js';
import type { Model } from './model.js';
import type { ModelOption } from './model-option.js';
import { memoize } from '#base/caches.js';

/** Where the draft of a published entry is kept: beside it, so that the entry stays as it is until it is published again. */
export const draftsOption: ModelOption<'beside', 'beside'> = {
  key: 'drafts',
  schema: { enum: ['beside'] },
  read: (optionValue, { kind, options }) =>
    optionValue === 'beside' && kind !== undefined && options?.draftAndPublish === true ? optionValue : null,
};

/** Returns whether published entries of a type may have a draft beside them. */
export const keepsDrafts = ({ options }: Pick<ContentType, 'options'>): boolean => options.has(draftsOption.key);

/** Returns the content types of a registry whose published entries may have a draft beside them. */
export const draftTypes = memoize(({ types }: Pick<Registry, 'types'>): readonly ContentType[] =>
  [...types.values()].filter(keepsDrafts),
);

/** Returns whether a model asks for such drafts. */
export const hasDraftsBeside = ({ options }: Pick<Model, 'options'>): boolean => options?.[draftsOption.key] !== undefined;

/** Returns what is wrong with a model that keeps drafts beside published entries. */
export function draftsProblems(model: Model): string[] {
  const { kind, options } = model;
  if (!hasDraftsBeside(model)) return [];
  if (kind === undefined) return ['options.drafts is an option of content types, not of components'];
  return options?.draftAndPublish === true ? [] : ['options.drafts requires options.draftAndPublish'];
}

/** The field of a stored entry with the draft beside it: those attributes that the draft has. */
export const draftField = '_draft';

/** Returns places of a type in its entries, and the same in the drafts beside them if it has such drafts. */
export const alsoInDrafts = <Place extends AttributePlace>(type: ContentType, places: readonly Place[]): readonly Place[] =>
  keepsDrafts(type) ? [...places, ...places.map((place) => inDraft(type, place))] : places;

const inDraft = <Place extends AttributePlace>(type: ContentType, place: Place): Place => ({
  ...place,
  steps: [{ name: draftField, list: false, zone: null }, ...place.steps],
  holders: [type, ...place.holders],
});
