import { memoizePair } from '#base/caches.js';
import type { ContentContext } from '#content/content-context.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ModelDocument } from '#model/schema/model.js';
import { isPlainObject } from '#base/values.js';
import { describeModel, describeWhole, type StrapiModel, withListeners } from './describe-model.js';
import type { ModelListeners } from './model-listeners.js';

/** The members of `strapi` that describe the models in force. */
export interface ModelMembers {
  /** All content types, by uid. */
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
  /** All components, by uid. */
  readonly components: Readonly<Record<string, StrapiModel>>;
  /** Returns a content type or component; undefined for an unknown uid. */
  contentType(uid: string): StrapiModel | undefined;
  /** Same as `contentType`. */
  getModel(uid: string): StrapiModel | undefined;
}

/** Models that code may change while it registers; null while it may change none. */
export interface ChangeableModels {
  readonly current: Pick<ModelMembers, 'contentTypes' | 'components'> | null;
}

interface MembersInput {
  readonly content: () => ContentContext;
  readonly changeable: ChangeableModels;
  readonly view: (type: ContentType) => StrapiModel;
}

/** Returns members that look up models on each access, because models change while the service runs. */
export function modelMembers({ content, changeable, view }: MembersInput): ModelMembers {
  const ofKind = (isComponent: boolean): Record<string, StrapiModel> => {
    const types = [...content().bind.registry.types.values()].filter(({ kind }) => (kind === 'component') === isComponent);
    return Object.fromEntries(types.map((type) => [type.uid, view(type)]));
  };
  const getModel = (uid: string): StrapiModel | undefined => {
    const { current } = changeable;
    if (current !== null) return current.contentTypes[uid] ?? current.components[uid];
    const type = content().bind.registry.types.get(uid);
    return type && view(type);
  };
  return {
    get contentTypes() {
      return changeable.current?.contentTypes ?? ofKind(false);
    },
    get components() {
      return changeable.current?.components ?? ofKind(true);
    },
    getModel,
    contentType: getModel,
  };
}

interface ViewInput {
  readonly listeners: ModelListeners;
  /** Returns the model of a type as it is written; undefined if it is not known. */
  readonly written: (uid: string) => ModelDocument | undefined;
  readonly log: (text: string) => void;
}

/** Returns a function that describes types for code. Their listeners may be changed; `tell` is called with changes that have no effect. */
export function createView({ listeners, written, log }: ViewInput): (type: ContentType) => StrapiModel {
  const view = memoizePair((type: ContentType, document: ModelDocument) => {
    const model = withListeners(structuredClone(describeWhole(type, document)), listeners);
    return tellingChanges(model, (path) => {
      const name = `${model.modelType === 'component' ? 'components' : 'contentTypes'}['${model.uid}'].${path}`;
      log(`strapi.${name} is changed after register, which has no effect: change it in register`);
    });
  });
  return (type) => view(type, written(type.uid) ?? describeModel(type));
}

/** The keys of a model that the service reads. */
const readKeys: ReadonlySet<string> = new Set(['attributes', 'collectionName', 'info', 'kind', 'options', 'pluginOptions']);

/** Returns an object whose changes are told with their path. */
function tellingChanges<Target extends object>(target: Target, tell: (path: string) => void, path = ''): Target {
  const inner = new WeakMap<object, object>();
  const changed = (name: string | symbol): void => {
    if (path !== '' || readKeys.has(String(name))) tell(`${path}${String(name)}`);
  };
  return new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name);
      if (name === 'lifecycles' || !(isPlainObject(value) || Array.isArray(value))) return value;
      const known = inner.get(value) ?? tellingChanges(value, tell, `${path}${String(name)}.`);
      inner.set(value, known);
      return known;
    },
    defineProperty: (object, name, descriptor) => {
      changed(name);
      return Reflect.defineProperty(object, name, descriptor); // assignments too
    },
    deleteProperty: (object, name) => {
      changed(name);
      return Reflect.deleteProperty(object, name);
    },
  });
}
