import { isRecord, type Values } from '../../values.js';

/** The first minor version of Strapi 4 that exports links of `morphToOne`. */
const firstWith = 20;

const versionPattern = /"version":\s*"4\.(\d+)\./;

/**
 * Finds the relations whose links an archive lacks because of the version that wrote it: those to one entry of several types. It is filled
 * while the archive is read.
 */
export class MissingLinks {
  readonly #relations = new Set<string>();
  #minor: number | null = null;

  takeSchema({ uid, attributes }: Values): void {
    for (const [name, attribute] of Object.entries(isRecord(attributes) ? attributes : {}))
      if (isRecord(attribute) && attribute['relation'] === 'morphToOne') this.#relations.add(`${String(uid)} ${name}`);
  }

  /** Takes a line of metadata.json, which names the version. */
  takeMetadata(line: string): void {
    const [, minor] = versionPattern.exec(line) ?? [];
    if (minor !== undefined) this.#minor = Number(minor);
  }

  /** Returns the reason with each relation, for the report of an import. */
  notes(): readonly (readonly [reason: string, where: string])[] {
    if (this.#minor === null || this.#minor >= firstWith) return [];
    const reason = `a relation comes without its links: Strapi 4.${String(this.#minor)} does not export those of morphToOne`;
    return [...this.#relations].map((where) => [reason, where]);
  }
}
