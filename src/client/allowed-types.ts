import type { TypeShape, Types } from './entry.js';

/** Names of the types of a kind on which an action is allowed. */
type Allowed<T extends Types<T>, Kind, Action> = {
  [Name in keyof T]: Kind extends T[Name]['kind'] ? (Action extends T[Name]['actions'] ? Name : never) : never;
}[keyof T] &
  string;

/** Names of the collection types on which an action is allowed. */
export type Collections<T extends Types<T>, Action> = Allowed<T, 'collectionType', Action>;

/** Names of the single types on which an action is allowed. */
export type Singles<T extends Types<T>, Action> = Allowed<T, 'singleType', Action>;

/** A built-in type; `TypeShape` if the declarations lack it. */
type Plugin<T, Uid extends string> = T extends Readonly<Record<Uid, infer Shape extends TypeShape>> ? Shape : TypeShape;
export type User<T> = Plugin<T, 'plugin::users-permissions.user'>;
export type UploadedFile<T> = Plugin<T, 'plugin::upload.file'>;
