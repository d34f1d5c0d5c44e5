import { didYouMean } from '#base/nearest-name.js';

/** Policies or middlewares that custom code registers and uses by name. */
export interface NamedCode<Code> {
  /**
   * Registers code under a full name such as `global::is-owner`. A name without a prefix gets `global::`. Throws an Error if it
   * is already registered.
   */
  add(name: string, code: Code): NamedCode<Code>;
  /** Returns registered code. Throws an Error for an unknown name, with the nearest known one. */
  get(name: string): Code;
  has(name: string): boolean;
  names(): readonly string[];
}

/** Creates an empty register. `kind` is used in error messages. */
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
    names: () => [...entries.keys()],
    get: (name) => {
      const code = entries.get(fullName(name));
      if (code !== undefined) return code;
      throw new Error(`Could not find ${kind} "${name}"${didYouMean(fullName(name), entries.keys())}`);
    },
  };
  return named;
}

const fullName = (name: string): string => (name.includes('::') ? name : `global::${name}`);
