import type { Undone } from '#content/refuse-or-log.js';
import {
  type Entity,
  type EntityId,
  type EntityParameters,
  type EntityService,
  presentParameters,
} from '#api/code/entity-service.js';
import { type EnginePage, pageOf, type QueryEngine } from './query-engine.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { Values } from '#base/values.js';
import { refuseMissing } from '../load/unsupported-code.js';
import type { AttachFiles } from './upload-service.js';

/** `strapi.entityService` of a project. */
export interface ProjectEntityService extends Omit<EntityService, 'findMany'> {
  /** Replaces methods for code by those that the decorator returns; it is called with the methods so far. */
  decorate(decorator: (service: Omit<ProjectEntityService, 'decorate'>) => Values): ProjectEntityService;
  /** Returns the entries; for a single type its entry, or null if there is none, unless all locales are asked for. */
  findMany(uid: string, parameters?: EntityParameters): Promise<Entity[] | Entity | null>;
  findPage(uid: string, parameters?: EntityParameters): Promise<EnginePage>;
  /** Returns the value of a relation, component or dynamic zone of an entry. */
  load(uid: string, entry: { readonly id: EntityId }, name: string, parameters?: EntityParameters): Promise<unknown>;
  /**
   * Stores files and links them to an entry: `{ cover: file, gallery: [file, file] }`. `create` and `update` accept `files` too.
   */
  uploadFiles(uid: string, entry: { readonly id: EntityId }, files: object): Promise<void>;
  /** Deletes the entries that match `filters`. If there are none, no lifecycles run. Unknown names in `filters` are refused. */
  deleteMany(uid: string, parameters?: EntityParameters): Promise<{ readonly count: number }>;
}

type Methods = Omit<ProjectEntityService, 'decorate'>;

interface EntityParts {
  readonly base: EntityService;
  readonly query: (uid: string) => QueryEngine;
  /** Throws an Error for an unknown uid. */
  readonly model: (uid: string) => StrapiModel;
  readonly attachFiles: AttachFiles;
  /** Returns the function that tells listeners of entries which were deleted together; null if nobody listens. */
  readonly announceDeletes: (uid: string) => ((entries: readonly Entity[]) => Promise<void>) | null;
  /** Refuses or tells what code asks for and does not get. */
  readonly refuseOrLog: (undone: readonly Undone[]) => void;
  /** Tells once in the log. */
  readonly log: (text: string) => void;
}

const ignoredPage = (name: string): Undone => ({
  path: [name],
  message: `${name} of strapi.entityService.findMany has no effect, as in Strapi v4, and all entries are read`,
  remedy: 'pass start and limit, or call findPage',
});

/** What stands here for parameters of `strapi.db.query`, which code passes by mistake. */
const insteadOf: Readonly<Record<string, string>> = { where: 'filters', select: 'fields', orderBy: 'sort', offset: 'start' };

/** Returns the service, which tells the parameters of reads that have no effect. */
const tellingUnread = (base: EntityService, tell: EntityParts['log']): EntityService => {
  const checked = (parameters?: EntityParameters): EntityParameters | undefined => {
    for (const [name, other] of Object.entries(insteadOf))
      if (parameters?.[name] !== undefined) tell(`strapi.entityService: ${name} has no effect, as in Strapi v4; use ${other}`);
    return parameters;
  };
  return {
    ...base,
    findMany: (uid, parameters) => base.findMany(uid, checked(parameters)),
    findOne: (uid, id, parameters) => base.findOne(uid, id, checked(parameters)),
    count: (uid, parameters) => base.count(uid, checked(parameters)),
  };
};

/** Returns `strapi.entityService` of a project. */
export const createProjectEntityService = (parts: EntityParts): ProjectEntityService =>
  createService({ ...parts, base: tellingUnread(parts.base, parts.log) });

function createService({ base, query, model, ...parts }: EntityParts): ProjectEntityService {
  const withFiles = async (uid: string, entry: Entity, { files, ...parameters }: EntityParameters): Promise<Entity> => {
    if (!(await parts.attachFiles(uid, entry.id, files))) return entry;
    const { fields, populate, locale } = parameters;
    return (await base.findOne(uid, entry.id, { fields, populate, locale })) ?? entry;
  };
  const service: Methods = {
    ...base,
    create: async (uid, parameters) => withFiles(uid, await base.create(uid, parameters), parameters),
    update: async (uid, id, parameters) => {
      const entry = await base.update(uid, id, parameters);
      return entry === null ? null : withFiles(uid, entry, parameters);
    },
    uploadFiles: async (uid, { id }, files) => void (await parts.attachFiles(uid, id, files)),
    findMany: async (uid, { pagination, page, pageSize, ...parameters } = {}) => {
      const given = Object.entries({ pagination, page, pageSize }).filter(([, value]) => (value ?? null) !== null);
      parts.refuseOrLog(given.map(([name]) => ignoredPage(name)));
      if (model(uid).kind !== 'singleType' || parameters['locale'] === 'all') return base.findMany(uid, parameters);
      return (await base.findMany(uid, { ...parameters, limit: 1 }))[0] ?? null;
    },
    findPage: async (uid, { page: givenPage, pageSize: givenSize, ...parameters } = {}) => {
      const { page = 1, pageSize = 10 } = presentParameters({ page: givenPage, pageSize: givenSize });
      const results = await base.findMany(uid, { ...parameters, pagination: { page, pageSize } });
      return { results, pagination: pageOf(page, pageSize, await base.count(uid, parameters)) };
    },
    load: async (uid, { id }, name, parameters) => {
      const entry = await base.findOne(uid, id, { fields: ['id'], populate: { [name]: parameters ?? true } });
      return entry?.[name] ?? null;
    },
    deleteMany: async (uid, { filters } = {}) => {
      const announce = parts.announceDeletes(uid);
      const found = await query(uid).findMany({ where: filters, ...(announce === null && { select: 'id', limit: 1 }) });
      if (found.length === 0) return { count: 0 };
      const deleted = await query(uid).deleteMany({ where: filters });
      await announce?.(found);
      return deleted;
    },
  };
  return decorated(tellingReplaced(refuseMissing(service, 'strapi.entityService'), parts.log), parts.log);
}

const listen = 'strapi.db.lifecycles.subscribe runs code around all reads and writes';

const replaced = `is replaced only for code, because requests and generated services do not call it: ${listen}`;

/** Returns the service, which tells that methods which code replaces are called only by code. */
const tellingReplaced = (service: Methods, tell: EntityParts['log']): Methods =>
  new Proxy(service, {
    set: (target, name, value) => {
      if (name in target) tell(`strapi.entityService.${String(name)} ${replaced}`);
      return Reflect.set(target, name, value);
    },
  });

/** Adds `decorate` to a service. Methods that it lacks are told, because nothing calls them. */
function decorated(service: Methods, tell: EntityParts['log']): ProjectEntityService {
  const decorate = (decorator: unknown): ProjectEntityService => {
    if (typeof decorator !== 'function') throw new Error(`Decorator must be a function, received ${typeof decorator}`);
    const methods = (decorator as Parameters<typeof own.decorate>[0])({ ...service }); // the form of the method
    for (const [name, method] of Object.entries(methods)) {
      if (!(name in service)) tell(`strapi.entityService.${name} of a decorator is called by nothing but code: ${listen}`);
      if (!(name in service) || Reflect.get(service, name) !== method) Reflect.set(service, name, method);
    }
    return own;
  };
  const own: ProjectEntityService = Object.assign(service, { decorate });
  return own;
}
