/** An attribute as schema.json writes it (rest.md 1.2, 1.3); keys that only an admin panel reads are carried but not used. */
export interface AttributeDefinition {
  readonly type: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  /** Beyond the reference: an index for filters and sorts on this attribute. */
  readonly index?: boolean;
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
  /** Of a polymorphic relation: the types that it may lead to, all of them unless given. */
  readonly target?: string | readonly string[];
  readonly inversedBy?: string | null;
  readonly mappedBy?: string | null;
  readonly morphBy?: string;
  readonly pluginOptions?: Readonly<Record<string, { readonly localized?: boolean } | undefined>>;
}

/** A content type or component as one document of `_models`: schema.json with its uid. Components have no `kind`. */
export interface Model {
  readonly uid: string;
  readonly kind?: 'collectionType' | 'singleType';
  readonly collectionName?: string;
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
  };
  readonly pluginOptions?: Readonly<Record<string, { readonly localized?: boolean } | undefined>>;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

/** The uids that a relation names: one, or any number where it is polymorphic. */
export const targetsOf = ({ target = [] }: AttributeDefinition): readonly string[] => [target].flat();
