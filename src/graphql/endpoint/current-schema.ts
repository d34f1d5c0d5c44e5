import type { GraphQLSchema } from 'graphql';
import { unavailableError } from '../../errors.js';
import type { Registry } from '../../schema/content-type.js';

/** A schema and the registry that it was made from. */
export interface SchemaSnapshot {
  readonly schema: GraphQLSchema;
  readonly registry: Registry;
}

/** Makes the schema of a registry; `previous` is the one in force. */
type Build = (registry: Registry, previous: GraphQLSchema | undefined) => Promise<GraphQLSchema>;

/** Called with the error if the schema of a registry cannot be built. */
type Report = (error: unknown, registry: Registry) => void;

/**
 * Holds the schema in force. A new registry is built off the request path while the old schema serves; of several that come
 * during a build only the last one is built next. A build that fails leaves the old one in force.
 */
export class CurrentSchema {
  readonly #build: Build;
  readonly #report: Report;
  #snapshot: SchemaSnapshot | undefined;
  #next: Registry | undefined;
  #building: Promise<void> | undefined;
  #hasFailed = false;

  constructor(build: Build, report: Report) {
    this.#build = build;
    this.#report = report;
  }

  /** Returns the schema in force; waits for the first one. Throws a 503 if there is none. */
  async read(): Promise<SchemaSnapshot> {
    if (this.#snapshot === undefined) await this.#building;
    if (this.#snapshot === undefined)
      throw unavailableError(this.#hasFailed ? 'The GraphQL schema could not be built' : undefined);
    return this.#snapshot;
  }

  /** Builds the schema of a registry and puts it in force. Resolves when that, or a later one, is. */
  replace(registry: Registry): Promise<void> {
    this.#next = registry;
    this.#building ??= this.#buildAll().finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  async #buildAll(): Promise<void> {
    for (let registry = this.#next; registry !== undefined; registry = this.#next) {
      this.#next = undefined;
      try {
        this.#snapshot = { schema: await this.#build(registry, this.#snapshot?.schema), registry };
      } catch (error) {
        this.#hasFailed = true;
        this.#report(error, registry);
      }
    }
  }
}
