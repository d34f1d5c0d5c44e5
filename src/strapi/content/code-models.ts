import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import { messageOf } from '#base/errors.js';
import { defaultModelSettings, type ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Model, ModelDocument } from '#model/schema/model.js';
import { readModel } from '#model/schema/read-model.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { describeDocument, type StrapiModel, withListeners } from './describe-model.js';
import { keptAttributes, type ModelChange, withChange } from './model-changes.js';
import type { ModelListeners } from './model-listeners.js';

type Models = Record<string, StrapiModel>;

/** The models that code may change while it registers, and where they come from. */
interface Opened {
  readonly contentTypes: Models;
  readonly components: Models;
  /** The models before code has changed them, as plain values. */
  readonly first: ReadonlyMap<string, Values>;
  /** The names of the attributes that the service adds, by uid. */
  readonly added: ReadonlyMap<string, ReadonlySet<string>>;
  /** The documents of the models. Those of the service itself have no attributes, because a document only adds some. */
  readonly documents: ReadonlyMap<string, ModelDocument>;
}

interface Input {
  readonly listeners: ModelListeners;
  readonly config: Pick<Config, 'api' | 'plugins'>;
  /** The options of models that features add. */
  readonly options: ModelSettings['options'];
  /** The types of custom fields that code has registered so far. */
  readonly customFields: { readonly types: Readonly<Record<string, string>> };
  /** Logs what code has changed without an effect. */
  readonly log: (text: string) => void;
}

/**
 * The models of a project while `register` of its code and plugins runs: as in Strapi v4, plain objects that code may change. What it
 * has changed belongs to the models from then on.
 */
export class CodeModels {
  readonly #input: Input;
  #documents: readonly ModelDocument[] | null = null;
  #opened: Opened | null = null;
  #isOpen = false;
  /** The last valid form of each model that code has changed, by uid. */
  readonly #changes = new Map<string, ModelChange>();

  constructor(input: Input) {
    this.#input = input;
  }

  /** Begins to offer models; null if they are not known yet. */
  open(documents: readonly ModelDocument[] | null): void {
    this.#documents = documents;
    this.#isOpen = documents !== null;
  }

  /** Ends it. The changes are kept. */
  close(): void {
    this.#isOpen = false;
  }

  /** Returns the models that code may change now; null if it may change none. */
  get current(): Pick<Opened, 'contentTypes' | 'components'> | null {
    return this.#isOpen ? this.#begin() : null;
  }

  /** Takes over what code has changed so far. Throws a ConfigError that names models which are invalid now, and undoes their changes. */
  settle(): void {
    if (this.#opened === null) return;
    const { contentTypes, components } = this.#opened;
    const problems = [contentTypes, components].flatMap((models) =>
      Object.keys(models).flatMap((uid) => this.#settleOne(uid, models, this.#begin())),
    );
    if (problems.length > 0) throw new ConfigError(problems.join('; '));
  }

  /** Changes a model as a copy of it was changed that was made beforehand; without a model adds a type. */
  extend(uid: string, before: Model | undefined, after: object): void {
    const { contentTypes } = this.current ?? {};
    if (contentTypes === undefined) return;
    const document = contentTypes[uid] as unknown as ModelDocument | undefined; // a plain object
    const change = { before: plainOf(before ?? {}), after: plainOf(after), added: new Set<string>() };
    if (isDeepStrictEqual(change.before, { uid, ...change.after })) return;
    contentTypes[uid] = withChange(document ?? { uid }, change) as unknown as StrapiModel; // with the keys of the known one
  }

  /** Returns the document of a model with what code has changed. */
  readonly changed = <Document extends ModelDocument>(document: Document): Document => {
    const change = this.#changes.get(document.uid);
    return change === undefined ? document : withChange(document, change);
  };

  /** Returns the documents of the models that code has changed or added, with these changes. `stored` replace the documents of files. */
  documents(stored: readonly ModelDocument[]): readonly ModelDocument[] {
    const ofUid = new Map(stored.map((document) => [document.uid, document]));
    return [...this.#changes.keys()].map((uid) => this.changed(ofUid.get(uid) ?? this.#documentOf(uid)));
  }

  #documentOf(uid: string): ModelDocument {
    return this.#opened?.documents.get(uid) ?? { uid };
  }

  #begin(): Opened {
    return (this.#opened ??= openModels(this.#documents ?? [], this.#settings(), this.#input.listeners));
  }

  #settings(): ModelSettings {
    const { config, customFields, options } = this.#input;
    const { api, plugins } = config;
    const fields = { ...customFields.types, ...api.customFields };
    const given = { customFields: fields, localization: plugins.i18n.enabled, graphql: plugins.graphql.enabled };
    return { ...defaultModelSettings, ...given, options };
  }

  /** Returns the problems of a model. */
  #settleOne(uid: string, models: Models, { first, added }: Opened): readonly string[] {
    const last = this.#changes.get(uid)?.after ?? first.get(uid) ?? {};
    try {
      const after = plainOf(models[uid]);
      this.#listen(uid, models[uid]);
      if (isDeepStrictEqual(after, last)) return [];
      const change = { before: first.get(uid) ?? {}, after, added: added.get(uid) ?? new Set<string>() };
      const { problems, model } = readModel(withChange(this.#documentOf(uid), change), this.#settings());
      if (model === null) return [this.#undo(uid, models, { last, problems })];
      this.#changes.set(uid, change);
      for (const text of ignored(uid, change, model)) this.#input.log(text);
      return [];
    } catch (error) {
      return [this.#undo(uid, models, { last, problems: [messageOf(error)] })];
    }
  }

  /** Takes over the listeners of a model that code has replaced as a whole. */
  #listen(uid: string, model: StrapiModel | undefined): void {
    const { value } = Object.getOwnPropertyDescriptor(model ?? {}, 'lifecycles') ?? {};
    if (isRecord(value) && Object.keys(value).length > 0) this.#input.listeners.set(uid, value);
    if (model !== undefined && value !== undefined) withListeners(model, this.#input.listeners);
  }

  #undo(
    uid: string,
    models: Models,
    { last, problems }: { readonly last: Values; readonly problems: readonly string[] },
  ): string {
    const former = structuredClone(last) as unknown as StrapiModel; // a model as plain values
    if (this.#opened?.first.has(uid) !== true) Reflect.deleteProperty(models, uid);
    else models[uid] = withListeners(former, this.#input.listeners);
    return `${uid}: ${problems.join('; ')}`;
  }
}

/**
 * Returns a model without functions and listeners. Its lists of texts have each text once, because code adds to them at each start, also
 * to those that a former start has stored. Throws an Error if the model is no plain object.
 */
function plainOf(model: unknown): Values {
  if (!isRecord(model)) throw new Error('it is no object');
  const kept = Object.entries(model).filter(([key]) => key !== 'lifecycles' && key !== '__schema__');
  const plain = JSON.parse(JSON.stringify(Object.fromEntries(kept))) as Values; // an object
  return mapValues(plain, withoutRepeats);
}

/** Returns a part of a model whose lists of texts have each text once. A default is a value of entries, which stays as it is. */
function withoutRepeats(value: unknown, name: string): unknown {
  if (name === 'default') return value;
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? [...new Set(value)] : (value as unknown);
  return isRecord(value) ? mapValues(value, withoutRepeats) : value;
}

function openModels(documents: readonly ModelDocument[], settings: ModelSettings, listeners: ModelListeners): Opened {
  const { models, registry } = buildRegistry(documents, settings);
  const builtin = new Set(settings.builtin.map(({ uid }) => uid));
  const written = new Map<string, ModelDocument>([...models.values(), ...documents].map((document) => [document.uid, document]));
  const all = [...written].map(([uid, document]) => {
    const type = registry.types.get(uid);
    const model = describeDocument(builtin.has(uid) ? (models.get(uid) ?? document) : document, type);
    const names = [...(type?.attributes.values() ?? [])].flatMap(({ name, added }) => (added === null ? [] : [name]));
    return { uid, document, model, names, isNew: !documents.some((one) => one.uid === uid) };
  });
  const ofKind = (isComponent: boolean): Models =>
    Object.fromEntries(
      all
        .filter(({ uid }) => !uid.includes('::') === isComponent)
        .map(({ uid, model }) => [uid, withListeners(model, listeners)]),
    );
  return {
    first: new Map(all.map(({ uid, model }) => [uid, plainOf(model)])),
    added: new Map(all.map(({ uid, names }) => [uid, new Set(names)])),
    documents: new Map(all.map(({ uid, document, isNew }) => [uid, isNew ? { ...document, attributes: {} } : document])),
    contentTypes: ofKind(false),
    components: ofKind(true),
  };
}

/** Returns what code has changed without an effect: attributes of the service, and of its own types. */
function ignored(uid: string, change: ModelChange, { attributes }: Model): readonly string[] {
  const asked = new Map(Object.entries(isRecord(change.after['attributes']) ? change.after['attributes'] : {}));
  const before = new Map(Object.entries(isRecord(change.before['attributes']) ? change.before['attributes'] : {}));
  const removed = [...before.keys()].filter((name) => !asked.has(name) && !change.added.has(name) && name in attributes);
  return [...keptAttributes(change), ...removed].map(
    (name) => `${uid}: register has changed the attribute ${name}, which has no effect: it belongs to the service`,
  );
}
