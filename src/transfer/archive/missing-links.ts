import { isRecord, type Values } from '../../values.js';

/** First minor version of Strapi 4 that exports the links of `morphToOne`. */
const firstWith = 20;

const versionPattern = /"version":\s*"4\.(\d+)\./;

/**
 * Collects the relations whose links are missing from an archive, because its version of Strapi does not export the links of
 * `morphToOne`. It is filled while the archive is read.
 */
export class MissingLinks {
  readonly #relations = new Set<string>();
  #minor: number | null = null;

  takeSchema({ uid, attributes }: Values): void {
    for (const [name, attribute] of Object.entries(isRecord(attributes) ? attributes : {}))
      if (isRecord(attribute) && attribute['relation'] === 'morphToOne') this.#relations.add(`${String(uid)} ${name}`);
  }

  /** Reads the version from a line of metadata.json. */
  takeMetadata(line: string): void {
    const [, minor] = versionPattern.exec(line) ?? [];
    if (minor !== undefined) this.#minor = Number(minor);
  }

  /** Returns each relation with the reason, for the report of an import. */
  notes(): readonly (readonly [reason: string, where: string])[] {
    if (this.#minor === null || this.#minor >= firstWith) return [];
    const reason = `a relation is imported without links: Strapi 4.${String(this.#minor)} does not export links of morphToOne`;
    return [...this.#relations].map((where) => [reason, where]);
  }
}
