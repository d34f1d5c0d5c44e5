import { byName, type CodeRegistry, namesBelow } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { ModelMembers, StrapiModel } from '../content/describe-model.js';
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
  /** The models in force. */
  readonly models: Pick<ModelMembers, 'contentTypes' | 'getModel'>;
  readonly registry: CodeRegistry;
}

/** Returns the APIs of a project by name. Their services and controllers are created on access. */
export function createApis({ models, registry }: ApiSources): Readonly<Record<string, StrapiApi>> {
  const uids = [...Object.keys(models.contentTypes), ...registry.uids('service'), ...registry.uids('controller')];
  const names = new Set(uids.flatMap((uid) => /^api::([^.]+)\./.exec(uid)?.[1] ?? []));
  return Object.fromEntries([...names].map((name) => [name, createApi(`api::${name}.`, { models, registry })]));
}

function createApi(prefix: string, { models, registry }: ApiSources): StrapiApi {
  const types = (): string[] => namesBelow(prefix, Object.keys(models.contentTypes));
  const contentType = (name: string): StrapiModel | undefined => models.getModel(`${prefix}${name}`);
  const service = (name: string): Service | undefined => registry.get('service', `${prefix}${name}`);
  const controller = (name: string): Controller | undefined => registry.get('controller', `${prefix}${name}`);
  const api: StrapiApi = {
    contentType,
    contentTypes: byName(contentType, types),
    service,
    services: byName(service, () => [...types(), ...namesBelow(prefix, registry.uids('service'))]),
    controller,
    controllers: byName(controller, () => [...types(), ...namesBelow(prefix, registry.uids('controller'))]),
  };
  return refuseMissing(api, "strapi.api['name']");
}
