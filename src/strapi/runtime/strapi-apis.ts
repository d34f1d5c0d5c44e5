import { byName, type CodeRegistry, namesBelow } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { StrapiConfig } from '../load/strapi-config.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { ModelMembers } from '../content/model-members.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** The models and code of one API of a project, a folder of `src/api`. Members are named without the uid's prefix. */
export interface StrapiApi {
  contentType(name: string): StrapiModel | undefined;
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
  service(name: string): Service | undefined;
  readonly services: Readonly<Record<string, Service>>;
  controller(name: string): Controller | undefined;
  readonly controllers: Readonly<Record<string, Controller>>;
  config(path: string, otherwise?: unknown): unknown;
}

interface ApiSources {
  /** The models in force. */
  readonly models: Pick<ModelMembers, 'contentTypes' | 'getModel'>;
  readonly registry: CodeRegistry;
  readonly config: Pick<StrapiConfig, 'get'>;
}

/** Returns the APIs of a project by name. Their services and controllers are created on access. */
export function createApis({ models, registry, config }: ApiSources): Readonly<Record<string, StrapiApi>> {
  const uids = [...Object.keys(models.contentTypes), ...registry.uids('service'), ...registry.uids('controller')];
  const names = new Set(uids.flatMap((uid) => /^api::([^.]+)\./.exec(uid)?.[1] ?? []));
  return Object.fromEntries([...names].map((name) => [name, createApi(name, { models, registry, config })]));
}

function createApi(name: string, { models, registry, config }: ApiSources): StrapiApi {
  const prefix = `api::${name}.`;
  const types = (): string[] => namesBelow(prefix, Object.keys(models.contentTypes));
  const contentType = (of: string): StrapiModel | undefined => models.getModel(`${prefix}${of}`);
  const service = (of: string): Service | undefined => registry.get('service', `${prefix}${of}`);
  const controller = (of: string): Controller | undefined => registry.get('controller', `${prefix}${of}`);
  const api: StrapiApi = {
    contentType,
    contentTypes: byName(contentType, types),
    service,
    services: byName(service, () => [...types(), ...namesBelow(prefix, registry.uids('service'))]),
    controller,
    controllers: byName(controller, () => [...types(), ...namesBelow(prefix, registry.uids('controller'))]),
    config: (path, otherwise) => config.get(`api.${name}.${path}`, otherwise),
  };
  return refuseMissing(api, "strapi.api['name']");
}
