import { targetsOf, type AttributeDefinition, type Model } from '#model/schema/model.js';

/** The stored form of a model. */
type ModelDocument = Model & Readonly<Record<string, unknown>>;

/** A set of models that is being changed. Values are immutable; each change replaces a model. */
export class EditedModels {
  readonly #models: Map<string, ModelDocument>;
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(stored: readonly { readonly uid: string }[]) {
    this.#models = new Map(stored.map((model) => [model.uid, model as ModelDocument])); // checked when the change is previewed
  }

  get(uid: string): ModelDocument | undefined {
    return this.#models.get(uid);
  }

  all(): readonly ModelDocument[] {
    return [...this.#models.values()];
  }

  set(model: ModelDocument): void {
    this.#models.set(model.uid, model);
    this.#changed.add(model.uid);
    this.#removed.delete(model.uid);
  }

  remove(uid: string): void {
    this.#models.delete(uid);
    this.#changed.delete(uid);
    this.#removed.add(uid);
  }

  get changed(): readonly ModelDocument[] {
    return [...this.#changed].flatMap((uid) => this.#models.get(uid) ?? []);
  }

  get removed(): readonly string[] {
    return [...this.#removed];
  }

  /** Sets an attribute of a model, or removes it. Does nothing without the model. */
  setAttribute(uid: string, name: string, attribute: AttributeDefinition | null): void {
    const model = this.#models.get(uid);
    if (model === undefined) return;
    const others = Object.entries(model.attributes ?? {}).filter(([other]) => other !== name);
    const kept = Object.fromEntries(others) as Model['attributes'];
    if (attribute === null) this.set({ ...model, attributes: kept });
    else this.set({ ...model, attributes: { ...model.attributes, [name]: attribute } });
  }

  /** Changes or removes each attribute of all models for which `change` returns something else than the attribute. */
  eachAttribute(change: (attribute: AttributeDefinition) => AttributeDefinition | null): void {
    for (const { uid, attributes } of this.all())
      for (const [name, attribute] of Object.entries(attributes ?? {})) {
        const next = change(attribute);
        if (next !== attribute) this.setAttribute(uid, name, next);
      }
  }

  /** Removes all relations to a type. */
  removeRelationsTo(uid: string): void {
    this.eachAttribute((attribute) => (attribute.type === 'relation' && targetsOf(attribute).includes(uid) ? null : attribute));
  }

  /** Removes a component from all attributes, which are removed if they have no other. */
  removeComponent(uid: string): void {
    this.eachAttribute((attribute) => {
      if (attribute.component === uid) return null;
      if (attribute.components?.includes(uid) !== true) return attribute;
      const components = attribute.components.filter((other) => other !== uid);
      return components.length === 0 ? null : { ...attribute, components };
    });
  }

  /** Gives a component another uid, in all attributes too. */
  renameComponent(from: string, to: string): void {
    const model = this.#models.get(from);
    if (model === undefined) return;
    this.remove(from);
    this.set({ ...model, uid: to });
    const renamed = (uid: string): string => (uid === from ? to : uid);
    this.eachAttribute((attribute) => {
      if (attribute.component === from) return { ...attribute, component: to };
      if (attribute.components?.includes(from) !== true) return attribute;
      return { ...attribute, components: attribute.components.map(renamed) };
    });
  }
}
