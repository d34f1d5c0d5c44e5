/** A content type or component, as `mangrove types` generates it. */
export interface TypeShape {
  readonly uid: string;
  readonly kind: 'collectionType' | 'singleType' | 'component';
  /** Names of the allowed actions on entries of the type. */
  readonly actions: string;
  /** Values of scalar attributes in answers. */
  readonly values: object;
  /** Attributes that are answered only if `populate` names them, with their targets. */
  readonly links: object;
  /** Values that an update accepts. */
  readonly input: unknown;
  /** Values that a create accepts. */
  readonly create: unknown;
  readonly filters: unknown;
  /** Whether a published entry may have a draft beside it. */
  readonly drafts?: 'beside';
}

/** Content types by their name in paths. */
export type Types<T> = { readonly [Name in keyof T]: TypeShape };

/** Content types without declarations. */
export type AnyTypes = Readonly<Record<string, AnyType>>;

interface AnyType extends TypeShape {
  readonly values: Readonly<Record<string, unknown>>;
  readonly links: Readonly<Record<string, { one: AnyType }>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly create: Readonly<Record<string, unknown>>;
  readonly filters: object;
  readonly drafts: 'beside';
}

/**
 * The form of answered entries: `entry` nests values in `attributes` and relations in `data`; `preview` is the same with drafts,
 * which may lack values; `flat` has no nesting, as in users and files.
 */
type Form = 'entry' | 'preview' | 'flat';

/** Flattens an intersection type, so that editors show its members. */
type Simplify<T> = { [Name in keyof T]: T[Name] } & unknown;

/** An entry in an answer, with the attributes and relations that the query selects. */
export interface EntryOf<T extends TypeShape, Query = unknown> {
  id: number;
  attributes: Shown<T, Query, FormOf<Query>>;
  /** `distance`: metres, if the list has a filter `$near`. */
  meta: { availableLocales?: string[]; distance?: number };
}

/** An entry without envelope, such as a user or a file. */
export type FlatOf<T extends TypeShape, Query = unknown> = Item<T, Query, 'flat'>;

type FormOf<Query> = Query extends { readonly publicationState: 'preview' } ? 'preview' : 'entry';

type Shown<T extends TypeShape, Query, F extends Form> = Simplify<
  ValuesOf<T['values'], FieldsOf<Query, keyof T['values']>, F> & {
    [Name in PopulatedIn<PopulateOf<Query>, keyof T['links']>]: Linked<T['links'][Name], Below<PopulateOf<Query>, Name>, F>;
  }
>;

type ValuesOf<Values, Names extends keyof Values, F extends Form> = {
  [Name in Names]: F extends 'preview' ? Values[Name] | null : Values[Name];
};

type FieldsOf<Query, Names> = Query extends { readonly fields: infer Given }
  ? Given extends readonly (infer Item)[]
    ? Chosen<Item, Names>
    : Chosen<Given, Names>
  : Names;

/** The given names; all names if the given ones are not literal types, or are `*`. */
type Chosen<Given, Names> = string extends Given ? Names : '*' extends Given ? Names : Extract<Given, Names>;

type PopulateOf<Query> = Query extends { readonly populate: infer Given } ? Given : never;

type PopulatedIn<Populate, Names> = [Populate] extends [never]
  ? never
  : Populate extends string
    ? Chosen<Populate, Names>
    : Populate extends readonly (infer Item)[]
      ? Chosen<Item, Names>
      : { [Name in keyof Populate & Names]: Populate[Name] extends false | undefined ? never : Name }[keyof Populate & Names];

type Below<Populate, Name> = Populate extends readonly unknown[]
  ? unknown
  : Name extends keyof Populate
    ? Populate[Name]
    : unknown;

type Linked<Link, Query, F extends Form> = Link extends { one: infer T extends TypeShape }
  ? Wrapped<Item<T, Query, F> | null, F>
  : Link extends { many: infer T extends TypeShape }
    ? Wrapped<Query extends { readonly count: true } ? Count<F> : Item<T, Query, F>[], F>
    : Link extends { files: infer T extends TypeShape }
      ? Wrapped<Item<T, Query, F>[] | null, F>
      : Link extends { part: infer T extends TypeShape }
        ? Part<T, Query, F> | null
        : Link extends { parts: infer T extends TypeShape }
          ? Part<T, Query, F>[]
          : Link extends { zone: infer T }
            ? ZonePart<T, Query, F>[]
            : Link extends { target: infer T }
              ? Target<T, Query, F> | null | undefined
              : Link extends { targets: infer T }
                ? Target<T, Query, F>[] | undefined
                : never;

type Wrapped<Value, F extends Form> = F extends 'flat' ? Value : { data: Value };
type Count<F extends Form> = F extends 'flat' ? { count: number } : { attributes: { count: number } };

type Item<T extends TypeShape, Query, F extends Form> = F extends 'flat'
  ? Simplify<{ id: number } & Shown<T, Query, F>>
  : { id: number; attributes: Shown<T, Query, F> };

type Part<T extends TypeShape, Query, F extends Form> = Simplify<{ id: number } & Shown<T, Query, F>>;

type ZonePart<T, Query, F extends Form> = T extends TypeShape
  ? Query extends { readonly on: infer On }
    ? T['uid'] extends keyof On
      ? Simplify<{ __component: T['uid'] } & Part<T, On[T['uid']], F>>
      : never
    : Simplify<{ __component: T['uid'] } & Part<T, Query, F>>
  : never;

type Target<T, Query, F extends Form> = T extends TypeShape
  ? Simplify<{ __type: T['uid']; id: number } & Shown<T, Query, F>>
  : { __type: string; id: number; [name: string]: unknown };
