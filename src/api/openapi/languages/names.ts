import { pascalCase } from '#model/schema/names.js';

/** Chooses identifiers that are not taken. Two that differ in case only are one for file systems and accessors. */
export class Names {
  readonly #reserved: ReadonlySet<string>;
  readonly #names = new Set<string>();

  /** `reserved` are words of the language, and names of its library. They get an underscore. */
  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
  }

  /** Returns an identifier for a type: `BlogPost` for `blog-post`. */
  type = (name: string): string => this.#free(firstLetter(pascalCase(name), 'Type'));

  /** Returns an identifier for an attribute, a value or a variable: `metaTitle` for `metaTitle`, `v2OfUs` for `2 of us`. */
  member = (name: string): string => {
    const plain = /^\w+$/.test(name) ? name.replace(/^_+/, '') : pascalCase(name);
    const isCapital = /^[A-Z]+$/.test(plain);
    return this.#free(firstLetter(isCapital ? plain.toLowerCase() : plain.charAt(0).toLowerCase() + plain.slice(1), 'v'));
  };

  #free(wanted: string): string {
    const safe = this.#reserved.has(wanted) ? `${wanted}_` : wanted;
    let name = safe;
    for (let count = 2; this.#names.has(name.toLowerCase()); count += 1) name = `${safe}${String(count)}`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}

const firstLetter = (name: string, prefix: string): string => (/^[A-Za-z]/.test(name) ? name : prefix + name);

/** Returns a text as a literal with double quotes. `escape` returns a character that does not stand for itself. */
export const literal = (text: string, escape: (code: string) => string, special = /["\\$]/g): string =>
  `"${text.replace(special, '\\$&').replace(/[^\x20-\x7e]/gu, (one) => escape((one.codePointAt(0) ?? 0).toString(16)))}"`;

/** Returns a text that can stand on one line of a comment. */
export const commentLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/\*\/|\/\*/g, '* /')
    .trim();

/** Returns lines with an indentation. */
export const indented = (lines: readonly string[], by = '    '): string => lines.map((line) => `${by}${line}\n`).join('');
