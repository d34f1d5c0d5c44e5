import { memoize } from '#base/caches.js';
import { isRecord, type Values } from '#base/values.js';
import type { Added, Attribute, ContentType } from './content-type.js';
import type { ModelDocument } from './model.js';

/** What decides which attributes the service adds to a type or component. */
export type Shape = Pick<ContentType, 'kind' | 'draftAndPublish' | 'localized'>;

/** What the attributes are for that do not depend on options of features. */
type AddedByShape = Exclude<Added, 'option'>;

const none: ReadonlyMap<string, AddedByShape> = new Map();

const times = [
  ['createdAt', 'time'],
  ['updatedAt', 'time'],
] as const;
const state = [['publishedAt', 'state']] as const;
const creators = [
  ['createdBy', 'creator'],
  ['updatedBy', 'creator'],
] as const;
const locales = [
  ['localizations', 'locale'],
  ['locale', 'locale'],
] as const;

/**
 * Returns the attributes that the service adds to a type, with what they are for, in the order of answers; those of its options are added
 * behind them. All others belong to the project, also those of the same names in components, in types without drafts and in types without locales.
 */
export const addedTo = ({ kind, draftAndPublish, localized }: Shape): ReadonlyMap<string, AddedByShape> =>
  kind === 'component'
    ? none
    : new Map([...times, ...(draftAndPublish ? state : []), ...creators, ...(localized ? locales : [])]);

/** The names of all attributes that the service adds to some types. */
export const addedToSome: readonly string[] = [...times, ...state, ...creators, ...locales].map(([name]) => name);

/** Returns the shape of the type or component of a model, which may be unchecked. */
export const shapeOf = ({
  uid,
  options,
  pluginOptions,
}: Pick<ModelDocument, 'uid' | 'options'> & { readonly pluginOptions?: unknown }): Shape => ({
  kind: uid.includes('::') ? 'collectionType' : 'component',
  draftAndPublish: isRecord(options) && options['draftAndPublish'] === true,
  localized: isRecord(pluginOptions) && isRecord(pluginOptions['i18n']) && pluginOptions['i18n']['localized'] === true,
});

/** Returns whether a write may set an attribute. Only code sets the administrators of an entry, which are not writable for clients. */
export const isSettable = ({ writable, added }: Attribute): boolean => writable || added === 'creator';

/** Returns what an attribute of a type is for if the service has added it; null for other names. */
export const addedAs = ({ attributes }: Pick<ContentType, 'attributes'>, name: string): Added | null =>
  attributes.get(name)?.added ?? null;

/** The values that a new entry has in the attributes that options of its model add. */
export const optionDefaults = memoize(({ attributes }: Pick<ContentType, 'attributes'>): Values =>
  Object.fromEntries(
    [...attributes.values()].flatMap((one) =>
      one.added === 'option' && one.kind === 'scalar' ? [[one.name, one.default ?? null] as const] : [],
    ),
  ),
);
