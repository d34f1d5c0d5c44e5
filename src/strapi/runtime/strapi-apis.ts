import type { CodeRegistry } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { StrapiModel } from '../content/describe-model.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** The models and code of one API of a project, a folder of `src/api`. Members are named without the uid's prefix. */
export interface StrapiApi {
  contentType(name: string): StrapiModel | undefined;
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
  service(name: string): Service | undefined;
  readonly services: Readonly<Record<string, Service>>;
  controller(name: string): Controller | undefined;
  readonly controllers: Readonly<Record<string, Controller>>;
}

interface ApiSources {
  /** All content types in force. */
  readonly models: readonly StrapiModel[];
  readonly registry: CodeRegistry;
}

/** Returns the APIs of a project by name. Their services and controllers are created on access. */
export function createApis({ models, registry }: ApiSources): Readonly<Record<string, StrapiApi>> {
  const uids = [...models.map(({ uid }) => uid), ...registry.uids('service'), ...registry.uids('controller')];
  const names = new Set(uids.flatMap((uid) => /^api::([^.]+)\./.exec(uid)?.[1] ?? []));
  return Object.fromEntries([...names].map((name) => [name, createApi(`api::${name}.`, { models, registry })]));
}

function createApi(prefix: string, { models, registry }: ApiSources): StrapiApi {
  const own = models.filter(({ uid }) => uid.startsWith(prefix));
  const codeOf = (kind: 'service' | 'controller'): Record<string, Service> => {
    const written = registry.uids(kind).filter((uid) => uid.startsWith(prefix));
    const uids = new Set([...own.map(({ uid }) => uid), ...written]);
    const read = (uid: string): PropertyDescriptor => ({ enumerable: true, get: () => registry.get(kind, uid) });
    return Object.defineProperties({}, Object.fromEntries([...uids].map((uid) => [uid.slice(prefix.length), read(uid)])));
  };
  const contentTypes = Object.fromEntries(own.map((model) => [model.uid.slice(prefix.length), model]));
  const [services, controllers] = [codeOf('service'), codeOf('controller')];
  const api: StrapiApi = {
    contentTypes,
    contentType: (name) => contentTypes[name],
    services,
    service: (name) => services[name],
    controllers,
    controller: (name) => controllers[name],
  };
  return refuseMissing(api, "strapi.api['name']");
}
