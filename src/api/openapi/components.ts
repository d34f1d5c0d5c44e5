import type { Access } from '#model/query/access.js';
import type { ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { pascalCase, typeName } from '#model/schema/names.js';
import type { Schema } from '#http/json-schema.js';

/** The names of the schemas of a content type, by their purpose. */
const roles = {
  ...{ Entry: '%', Shape: '%', Target: '%Target', Input: '%Input', Filters: '%Filters' },
  ...{ Flat: 'Flat%', FlatTarget: 'Flat%Target' },
};

type Role = keyof typeof roles;

/** The schemas of one document, limited to what one caller may see of the registry. */
export class Components {
  readonly registry: Registry;
  readonly access: Access;
  /** Whether answers have flat entries (`api.rest.flatten`). */
  readonly isFlat: boolean;
  readonly #schemas = new Map<string, Schema>();
  readonly #names = new Map<string, string>();

  constructor(registry: Registry, access: Access, isFlat = false) {
    this.registry = registry;
    this.access = access;
    this.isFlat = isFlat;
  }

  /** Returns a reference to a schema of a content type. `build` is called on first use. */
  ofType(type: ContentType, role: Role, build: () => Schema): Schema {
    return this.#define(`${role} ${type.uid}`, nameOf(type, role), build);
  }

  /** Returns a reference to a schema of conditions on one attribute: `ArticleKindFilter`. */
  ofAttribute(type: ContentType, { name }: ScalarAttribute, build: () => Schema): Schema {
    return this.#define(`Filter ${type.uid} ${name}`, `${nameOf(type, 'Entry')}${pascalCase(name)}Filter`, build);
  }

  /** Returns a reference to a schema that belongs to no content type. */
  named(name: string, build: () => Schema): Schema {
    return this.#define(name, name, build);
  }

  /** Returns all referenced schemas by name, in alphabetical order. */
  schemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #define(key: string, wanted: string, build: () => Schema): Schema {
    const componentName = this.#names.get(key);
    if (componentName !== undefined) return referTo(componentName);
    const name = this.#free(wanted);
    this.#names.set(key, name);
    this.#schemas.set(name, {}); // reserves the name, because a type may refer to itself
    this.#schemas.set(name, build());
    return referTo(name);
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#schemas.has(name); count++) name = `${wanted}${String(count)}`;
    return name;
  }
}

const referTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Returns the name of a schema: `Article`, `FlatArticle`, `ArticleTarget`, `ArticleInput`, `ArticleFilters`. */
const nameOf = (type: ContentType, role: Role): string =>
  roles[role].replace('%', `${type.uid.startsWith('admin::') ? 'Admin' : ''}${typeName(type)}`);

/** Returns the schemas of attributes by name, without those for which `schemaOf` returns null. */
export const schemasByName = <A>(
  attributes: Iterable<readonly [name: string, attribute: A]>,
  schemaOf: (attribute: A) => Schema | null,
): Record<string, Schema> =>
  Object.fromEntries(
    [...attributes].flatMap(([name, attribute]) => {
      const schema = schemaOf(attribute);
      return schema === null ? [] : [[name, schema] as const];
    }),
  );

/** Returns the schema of a component in a dynamic zone, which must have its uid. */
export const zonePart = (uid: string, part: Schema): Schema => ({
  allOf: [part, { type: 'object', required: ['__component'], properties: { __component: { type: 'string', const: uid } } }],
});
