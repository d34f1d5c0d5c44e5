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
 * The schema in force. The schema of a new registry is built off the request path while the old one serves; of several registries that
 * arrive during a build only the last one is built next. If the old schema was never read, the new one is built when it is first read.
 * A build that fails leaves the old one in force.
 */
export class CurrentSchema {
  readonly #build: Build;
  readonly #report: Report;
  #snapshot: SchemaSnapshot | undefined;
  #next: Registry | undefined;
  #building: Promise<void> | undefined;
  #hasFailed = false;
  /** Whether the schema in force was read. */
  #isRead = false;
  /** A registry whose schema is built when it is read. */
  #postponed: Registry | undefined;
  /** The build that readers wait for. */
  #due: Promise<void> | undefined;

  constructor(build: Build, report: Report) {
    this.#build = build;
    this.#report = report;
  }

  /** Returns the schema in force; waits for the first one, and for one that was postponed. Throws a 503 if there is none. */
  async read(): Promise<SchemaSnapshot> {
    if (this.#postponed !== undefined)
      this.#due = this.replace(this.#postponed).finally(() => {
        this.#due = undefined;
      });
    if (this.#due !== undefined) await this.#due;
    if (this.#snapshot === undefined) await this.#building;
    if (this.#snapshot === undefined)
      throw unavailableError(this.#hasFailed ? 'The GraphQL schema could not be built' : undefined);
    this.#isRead = true;
    return this.#snapshot;
  }

  /** Builds the schema of a registry and puts it in force. Resolves when that, or a later one, is. */
  replace(registry: Registry): Promise<void> {
    this.#next = registry;
    this.#postponed = undefined;
    this.#building ??= this.#buildAll().finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  /** The same, but if the schema in force was never read, the new one is built when it is read: few services use both of their APIs. */
  async replaceWhenRead(registry: Registry): Promise<void> {
    if (this.#isRead || this.#snapshot === undefined || this.#building !== undefined) await this.replace(registry);
    else this.#postponed = registry;
  }

  async #buildAll(): Promise<void> {
    for (let registry = this.#next; registry !== undefined; registry = this.#next) {
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
}
