export type ScalarType =
  | 'string'
  | 'text'
  | 'richtext'
  | 'email'
  | 'uid'
  | 'password'
  | 'enumeration'
  | 'integer'
  | 'biginteger'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'timestamp'
  | 'json'
  | 'blocks'
  | 'point';

/** What an attribute that the service adds to a type is for; `option`: an option of the model adds it (`ModelOption.attributes`). */
export type Added = 'time' | 'creator' | 'state' | 'locale' | 'option';

export interface AttributeBase {
  readonly name: string;
  readonly required: boolean;
  /** Never in an answer; a filter, sort or field list that names it is refused. */
  readonly private: boolean;
  /** If false, the attribute is silently dropped from input. */
  readonly writable: boolean;
  /** What the attribute is for if the service has added it to the type; null if it is of the model, so that it belongs to the project. */
  readonly added: Added | null;
  /** False if the model hides the attribute from the panel, and for attributes that the service has added. */
  readonly visible: boolean;
  /** If false, all locales of an entry share one value. Relations and uids always have a value for each locale. */
  readonly localized: boolean;
}

/**
 * - trigram: an index of all sequences of three characters of the text.
 * - language: the words of the text are in a full-text index, which reduces them to their stems in that language.
 */
export type TextSearch = { readonly kind: 'trigram' } | { readonly kind: 'language'; readonly language: string };

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly unique: boolean;
  /** Whether there is an index for filters and sorts. */
  readonly indexed: boolean;
  /** The collation that sorts its texts; absent if they are sorted by code points. */
  readonly collation?: string;
  /** Whether `_q` searches in it, if its type can be searched. */
  readonly searchable: boolean;
  /** The index for text search; null if the database scans all values. */
  readonly search: TextSearch | null;
  readonly default: unknown;
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly regex: RegExp | null;
  readonly enum: readonly string[];
  readonly enumName: string | null;
  readonly targetField: string | null;
  /** Whether a uid is made from `targetField` if it is not sent. */
  readonly generate: boolean;
}

/**
 * Where the links of a relation are stored.
 * - own: the ids are in this document, under the attribute's name: one id, or an ordered array.
 * - inverse: the ids are in the target's documents, under `field`; the order on this side is that of their ranks (`_ranks`).
 * - localizations: the entries of one localization group (`_group`), the entry itself left out.
 * - morph: the target's documents store `{ __type, id }` under `field`, one or an array.
 */
export type LinkStorage =
  | { readonly kind: 'own' }
  | { readonly kind: 'inverse'; readonly field: string }
  | { readonly kind: 'localizations' }
  | { readonly kind: 'morph'; readonly field: string };

/** A relation with one target type, media included. */
export interface LinkAttribute extends AttributeBase {
  readonly kind: 'relation' | 'media';
  readonly relation: string;
  /** uid of the target type */
  readonly target: string;
  readonly many: boolean;
  readonly storage: LinkStorage;
  /** The attribute of the target that shows this relation from its side, if any. */
  readonly inverse: string | null;
  /**
   * Whether a target belongs to one entry at most (bidirectional oneToOne and oneToMany): linking it removes it from its former
   * entry.
   */
  readonly exclusive: boolean;
  /** Whether the other side, which would store the links, is missing, so that the relation is always empty. */
  readonly dangling: boolean;
  readonly allowedTypes: readonly string[];
}

/** morphToOne, morphToMany: several types as targets, stored as `{ __type, id }`, one or an ordered array. */
export interface MorphAttribute extends AttributeBase {
  readonly kind: 'morph';
  readonly relation: 'morphToOne' | 'morphToMany';
  readonly many: boolean;
  /** Uids of the types that it may lead to; null if all types are allowed. */
  readonly targets: readonly string[] | null;
}

/** An embedded component, or an ordered array of them. */
export interface ComponentAttribute extends AttributeBase {
  readonly kind: 'component';
  readonly component: string;
  readonly repeatable: boolean;
  readonly min: number | null;
  readonly max: number | null;
}

/** An embedded ordered array of components of several types, each with its `__component`. */
export interface ZoneAttribute extends AttributeBase {
  readonly kind: 'dynamiczone';
  readonly components: readonly string[];
  readonly min: number | null;
  readonly max: number | null;
}

export type Attribute = ScalarAttribute | LinkAttribute | MorphAttribute | ComponentAttribute | ZoneAttribute;

/** Attributes, or `_id`, in the order of a shard key. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** A checked, complete model: every attribute that an entry has, in the order of answers. */
export interface ContentType {
  readonly uid: string;
  readonly kind: 'collectionType' | 'singleType' | 'component';
  /** MongoDB collection; empty for components, which live in the documents of their owners. */
  readonly collection: string;
  readonly singularName: string;
  readonly pluralName: string;
  readonly displayName: string;
  readonly description: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** What the options of features say of the type, by key. See `optionOf`. */
  readonly options: ReadonlyMap<string, unknown>;
  /** The shard key of the collection; null if it is not sharded. */
  readonly shard: ShardKey | null;
  /** Whether the panel shows its entries (`pluginOptions.content-manager.visible`). */
  readonly listed: boolean;
  /** Whether the GraphQL schema contains the type: its names there belong to no other type. */
  readonly inGraphql: boolean;
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** Other names that requests may use for attributes, because a model renames them; absent if there are none. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Another uid that stored links may name, because the type was renamed; absent if there is none. */
  readonly otherUid?: string;
}

/** Returns the uids that stored links to entries of a type may name. */
export const uidsOf = ({ uid, otherUid }: Pick<ContentType, 'uid' | 'otherUid'>): readonly string[] =>
  otherUid === undefined ? [uid] : [uid, otherUid];

type Named = Pick<ContentType, 'attributes' | 'aliases'>;

/** Returns the name under which an attribute is served; a name that is no alias unchanged. */
export const servedAs = ({ attributes, aliases }: Named, name: string): string =>
  aliases === undefined || attributes.has(name) ? name : (aliases.get(name) ?? name);

/** Returns the attribute of a name or alias. */
export const attributeOf = (type: Named, name: string): Attribute | undefined => type.attributes.get(servedAs(type, name));

/** Returns values by the names under which attributes are served. A value under the served name comes before one under an alias. */
export function underServedNames<Value>(type: Named, values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const { aliases } = type;
  if (aliases === undefined || !Object.keys(values).some((name) => aliases.has(name))) return values;
  const named = Object.entries(values).map(([name, value]) => [servedAs(type, name), value] as const);
  return { ...Object.fromEntries(named), ...Object.fromEntries(Object.entries(values).filter(([name]) => !aliases.has(name))) };
}

/** An immutable snapshot of all content types. A request takes one and keeps it. */
export interface Registry {
  /** Increases with every snapshot, for caches that belong to one snapshot. */
  readonly version: number;
  readonly types: ReadonlyMap<string, ContentType>;
  readonly byPluralName: ReadonlyMap<string, ContentType>;
  readonly bySingularName: ReadonlyMap<string, ContentType>;
  /** The attributes that models define and their types lack, with the reasons, by uid and name. */
  readonly leftOut: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export const uploadFile = 'plugin::upload.file';
export const uploadFolderType = 'plugin::upload.folder';
