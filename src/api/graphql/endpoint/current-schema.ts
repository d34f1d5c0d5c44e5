import type { GraphQLSchema } from 'graphql';
import { unavailableError } from '#base/errors.js';
import type { Registry } from '#model/schema/content-type.js';

/** A schema and the registry that it was built from. */
export interface SchemaSnapshot {
  readonly schema: GraphQLSchema;
  readonly registry: Registry;
}

/** Builds the schema of a registry. `previous` is the schema in force. */
type Build = (registry: Registry, previous: GraphQLSchema | undefined) => Promise<GraphQLSchema>;

/** Called with the error if the schema of a registry cannot be built. */
type Report = (error: unknown, registry: Registry) => void;

/**
 * The schema in force. The schema of a new registry is built in slices, and requests wait for it. If several registries arrive
 * during a build, only the last one is built next. If the current schema was never read, the next one is built on first read. If
 * a build fails, the current schema stays in force.
 */
export class CurrentSchema {
  readonly #build: Build;
  readonly #report: Report;
  #snapshot: SchemaSnapshot | undefined;
  /** The newest registry, if its build has not begun. */
  #next: Registry | undefined;
  /** Resolves after the build of the newest registry. */
  #newest: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** Whether the schema in force was read. */
  #isRead = false;
  /** A registry whose schema is built on first read. */
  #postponed: Registry | undefined;

  constructor(build: Build, report: Report) {
    this.#build = build;
    this.#report = report;
  }

  /** Returns the schema of the newest registry, or the previous one if it cannot be built. Throws a 503 if there is none. */
  async read(): Promise<SchemaSnapshot> {
    if (this.#postponed !== undefined) void this.replace(this.#postponed);
    await this.#newest;
    if (this.#snapshot === undefined)
      throw unavailableError(this.#hasFailed ? 'The GraphQL schema could not be built' : undefined);
    this.#isRead = true;
    return this.#snapshot;
  }

  /** Builds the schema of a registry and puts it in force. Resolves when this schema, or a later one, is in force. */
  replace(registry: Registry): Promise<void> {
    this.#next = registry;
    this.#postponed = undefined;
    this.#newest = this.#newest.then(() => this.#buildNext());
    return this.#newest;
  }

  /**
   * Does the same, but builds the schema on first read if the current one was never read, because few services use both REST and
   * GraphQL.
   */
  async replaceWhenRead(registry: Registry): Promise<void> {
    if (this.#isRead || this.#snapshot === undefined) await this.replace(registry);
    else this.#postponed = registry;
  }

  /** Builds the schema of the newest registry, unless that was done meanwhile. */
  async #buildNext(): Promise<void> {
    const registry = this.#next;
    if (registry === undefined) return;
    this.#next = undefined;
    try {
      this.#snapshot = { schema: await this.#build(registry, this.#snapshot?.schema), registry };
      this.#isRead = false;
    } catch (error) {
      this.#hasFailed = true;
      this.#report(error, registry);
    }
  }
}
