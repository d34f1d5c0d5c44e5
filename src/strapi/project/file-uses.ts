/** One step of a chain such as `strapi.plugin('i18n').service('locales').find`: a member, or the call of one with a literal. */
export interface Step {
  readonly name: string;
  /** The text that the member is called with; null if it is not called, or with something else. */
  readonly argument: string | null;
}

/** A chain of members of `strapi` in a file. */
interface Chain {
  readonly steps: readonly Step[];
  readonly line: number;
  /** Whether its error may not reach the caller: it is caught, the code runs later, or depends on a variable of the environment. */
  readonly isGuarded: boolean;
}

/** The call of a function by its local name, or of a member of it. */
interface CallOf {
  readonly name: string;
  readonly member: string | null;
}

/** What the body of a function does. */
export interface FunctionUses {
  readonly chains: Chain[];
  readonly calls: CallOf[];
}

/** What is imported under a local name: a file, and the name of its export; null for all exports or the default one. */
export interface Import {
  readonly from: string;
  readonly name: string | null;
}

/** The uses of `strapi` in a file, by function. Code outside of functions is that of the function ''. */
export interface FileUses {
  readonly functions: ReadonlyMap<string, FunctionUses>;
  /** Functions that have another name as members of an object or as exports. */
  readonly otherNames: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, Import>;
}
