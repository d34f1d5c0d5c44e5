import type { FieldError } from '../errors.js';
import type { Registry } from './content-type.js';

export interface InputContext {
  readonly registry: Registry;
  /** Only a create asks for values that are absent. */
  readonly mode: 'create' | 'update';
  readonly draft: boolean;
  /** Files must be of the types that their attribute allows, and a single media attribute takes one; Strapi v4 takes all. */
  readonly strict: boolean;
}

/** Files that a media attribute with allowed types is given. */
export interface LinkedFiles {
  readonly path: string;
  readonly ids: readonly number[];
  readonly allowedTypes: readonly string[];
}

/** What checking a body finds on its way. */
export interface Findings {
  readonly fields: FieldError[];
  /** Errors of relations come last and have no path; the first is reported. */
  readonly relations: FieldError[];
  readonly targets: Map<string, Set<number>>;
  readonly files: LinkedFiles[];
  readonly context: InputContext;
}

/** `rows[0].label` becomes `rows`, `0`, `label`. */
export const splitPath = (path: string): string[] => path.split(/[.[\]]+/).filter((part) => part !== '');

/** Reports what is wrong with the value at a path. */
export const report = (found: Findings, path: string, message: string): void => {
  found.fields.push({ path: splitPath(path), message });
};

export const reportRelations = (found: Findings, message: string): void => {
  found.relations.push({ path: [], message });
};
