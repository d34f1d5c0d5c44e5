import { isRecord, type Values } from '#base/values.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { ChangeableModels, ModelMembers } from '../content/model-members.js';
import { missingRegistry, refuseMissing, UnsupportedCodeError } from '../load/unsupported-code.js';

/** `strapi.container.get('content-types')` of Strapi v4. Types are added and replaced while code registers. */
interface ContentTypeRegistry {
  keys(): string[];
  get(uid: string): StrapiModel | undefined;
  getAll(namespace?: string): Readonly<Record<string, StrapiModel>>;
  set(uid: string, model: StrapiModel): ContentTypeRegistry;
  /** Adds types by name: `{ note: { schema, lifecycles } }` of `api::note` is `api::note.note`. */
  add(namespace: string, types: object): void;
  extend(uid: string, change: (model: StrapiModel) => StrapiModel): ContentTypeRegistry;
}

/** `strapi.container` of Strapi v4. */
export interface StrapiContainer {
  get(name: string): unknown;
}

interface ContainerInput {
  readonly models: ModelMembers;
  readonly changeable: ChangeableModels;
  /** The members of `strapi` that the container has by the names of Strapi v4. */
  readonly others: Readonly<Record<string, object>>;
}

export function createContainer({ models, changeable, others }: ContainerInput): StrapiContainer {
  const types = createTypeRegistry(models, changeable);
  const get = (name: string): unknown => {
    if (name === 'content-types') return types;
    const missing = name in others ? null : missingRegistry(name);
    if (missing !== null) throw missing;
    if (!(name in others)) throw new Error(`Could not resolve service ${name}`);
    return others[name];
  };
  return refuseMissing({ get }, 'strapi.container');
}

const late = 'content types are added and replaced in register, before their collections are prepared';

function createTypeRegistry(models: ModelMembers, changeable: ChangeableModels): ContentTypeRegistry {
  const open = (): Record<string, StrapiModel> => {
    if (changeable.current === null) throw new UnsupportedCodeError(late);
    return changeable.current.contentTypes as Record<string, StrapiModel>; // changeable
  };
  const registry: ContentTypeRegistry = {
    keys: () => Object.keys(models.contentTypes),
    get: (uid) => models.contentTypes[uid],
    getAll: (namespace) =>
      Object.fromEntries(
        Object.entries(models.contentTypes).filter(
          ([uid]) => namespace === undefined || uid.startsWith(namespace.endsWith('::') ? namespace : `${namespace}.`),
        ),
      ),
    set: (uid, model) => {
      open()[uid] = model;
      return registry;
    },
    add: (namespace, types) => {
      for (const [name, type] of Object.entries(types)) addType(`${namespace}.${name}`, type, open());
    },
    extend: (uid, change) => {
      const model = open()[uid];
      if (model === undefined) throw new Error(`Content-Type ${uid} doesn't exist`);
      open()[uid] = change(model);
      return registry;
    },
  };
  return registry;
}

/** Adds a content type of code. Throws an Error if there is one with its uid. */
function addType(uid: string, type: unknown, types: Record<string, StrapiModel>): void {
  if (uid in types) throw new Error(`Content-type ${uid} has already been registered.`);
  const { schema = type, lifecycles } = isRecord(type) ? type : {};
  const plain = JSON.parse(JSON.stringify(schema)) as Values; // as a file has it
  types[uid] = { ...plain, uid, modelType: 'contentType', lifecycles } as unknown as StrapiModel; // checked when register has run
}
