import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '#base/values.js';
import type { ShardKey } from './content-type.js';

/** An attribute as schema.json writes it. Keys that only an admin panel reads are kept but not used. */
export interface AttributeDefinition {
  readonly type: string;
  /** The custom field that a plugin registers, such as `plugin::color-picker.color`. */
  readonly customField?: string;
  /** Beyond Strapi v4: the former name of the attribute, whose stored values are moved. */
  readonly renamedFrom?: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  /** Beyond Strapi v4: an index for filters and sorts on this attribute. */
  readonly index?: boolean;
  /** Beyond Strapi v4: the locale of the collation that sorts its texts. */
  readonly collation?: string;
  /** If false, `_q` does not search in it. */
  readonly searchable?: boolean;
  /** Beyond Strapi v4: the index for text search, by parts of the text (`trigram`) or by words of a language. */
  readonly search?: string | { readonly language: string } | undefined;
  readonly default?: unknown;
  readonly private?: boolean;
  readonly writable?: boolean;
  readonly visible?: boolean;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly regex?: string;
  readonly enum?: readonly string[];
  readonly enumName?: string;
  readonly targetField?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly multiple?: boolean;
  readonly allowedTypes?: readonly string[];
  readonly component?: string;
  readonly repeatable?: boolean;
  readonly components?: readonly string[];
  readonly relation?: string;
  /** The uid of the target. For a polymorphic relation, the uids of all possible targets; by default all types. */
  readonly target?: string | readonly string[];
  readonly inversedBy?: string | null;
  readonly mappedBy?: string | null;
  readonly morphBy?: string;
  /** Set by the registry if the other side, which would store the links, is missing. */
  readonly dangling?: boolean;
  readonly pluginOptions?: Readonly<Record<string, { readonly localized?: boolean } | undefined>>;
}

/** A content type or component: a document of `_models`, checked and read. Components have no `kind`. */
export interface Model {
  readonly uid: string;
  readonly kind?: 'collectionType' | 'singleType';
  /** Beyond Strapi v4: the former uid of the type, whose entries it takes over. */
  readonly renamedFrom?: string;
  readonly collectionName?: string;
  /** The collection may contain documents that the service has not written. */
  readonly adopt?: boolean;
  /** The distribution of the collection over the shards of a cluster: `_id` by hashed ids, a key by values of attributes. */
  readonly shard?: 'none' | '_id' | ShardKey;
  readonly info: {
    readonly singularName?: string;
    readonly pluralName?: string;
    readonly displayName?: string;
    readonly description?: string;
    readonly icon?: string;
  };
  readonly options?: {
    readonly draftAndPublish?: boolean;
    readonly privateAttributes?: readonly string[];
    readonly populateCreatorFields?: boolean;
    /** Beyond Strapi v4: the collation of the text attributes that name none. */
    readonly collation?: string;
    /** Of built-in types: that they are shown with the times of their entries, which all types have. */
    readonly timestamps?: boolean;
    /** Those of features. */
    readonly [key: string]: unknown;
  };
  readonly pluginOptions?: Readonly<
    Record<
      string,
      { readonly localized?: boolean; readonly enabled?: boolean; readonly conflicts?: 'value' | 'last' } | undefined
    >
  >;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

/** A part of a model that is served differently from its document. */
export interface ModelWarning {
  /** The name of the attribute; null if the warning concerns the model itself. */
  readonly attribute: string | null;
  readonly text: string;
  /** The uid of the missing model that causes the warning; null if there is none. */
  readonly needs: string | null;
}

/** The pattern of names of collections, as a regular expression. */
export const collectionNamePattern = '^[A-Za-z0-9][-_0-9A-Za-z]*$';

/** A document of `_models` with its uid, as it is stored. It is not checked, so that its parts may have any form. */
export interface ModelDocument {
  readonly uid: string;
  readonly renamedFrom?: unknown;
  readonly collectionName?: unknown;
  readonly info?: unknown;
  readonly options?: unknown;
  readonly attributes?: unknown;
}

/** Returns the collection that stores the entries of a content type. */
export const collectionOf = ({ collectionName, info }: Pick<ModelDocument, 'collectionName' | 'info'>): string =>
  String(collectionName ?? (isRecord(info) ? info['singularName'] : null) ?? '');

/** Returns whether clients may keep copies of the entries of a model. */
export const asksForSync = ({ pluginOptions }: Model): boolean => pluginOptions?.['sync']?.enabled === true;

/** Returns the uids that a relation names: one, or any number if it is polymorphic. */
export const targetsOf = ({ target = [] }: AttributeDefinition): readonly string[] => [target].flat();

/** Returns whether the stored model is identical, including the order of attributes, which is that in answers. */
export function isStoredAs(document: ModelDocument, stored: readonly ModelDocument[]): boolean {
  const before = stored.find(({ uid }) => uid === document.uid);
  return isDeepStrictEqual(before, document) && isDeepStrictEqual(namesOf(before), namesOf(document));
}

const namesOf = (document: ModelDocument | undefined): readonly string[] => Object.keys(Object(document?.attributes) as object);
