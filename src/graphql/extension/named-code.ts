import { didYouMean } from '../../nearest-name.js';

/** Policies or middlewares that custom code registers and refers to by name. */
export interface NamedCode<Code> {
  /** Registers under a full name such as `global::is-owner`; a bare name means `global::`. Throws if it is taken. */
  readonly add: (name: string, code: Code) => NamedCode<Code>;
  /** Throws for a name that is not registered, with the nearest one that is. */
  readonly get: (name: string) => Code;
  readonly has: (name: string) => boolean;
}

/** An empty register; `kind` is what errors call an entry. */
export function createNamedCode<Code>(kind: 'policy' | 'middleware'): NamedCode<Code> {
  const entries = new Map<string, Code>();
  const named: NamedCode<Code> = {
    add: (name, code) => {
      const full = fullName(name);
      if (entries.has(full)) throw new Error(`The ${kind} "${full}" is registered already`);
      entries.set(full, code);
      return named;
    },
    has: (name) => entries.has(fullName(name)),
    get: (name) => {
      const code = entries.get(fullName(name));
      if (code !== undefined) return code;
      throw new Error(`Could not find ${kind} "${name}"${didYouMean(fullName(name), entries.keys())}`);
    },
  };
  return named;
}

const fullName = (name: string): string => (name.includes('::') ? name : `global::${name}`);
