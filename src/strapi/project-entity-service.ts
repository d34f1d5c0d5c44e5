import type { Entity, EntityId, EntityParameters, EntityService } from '../graphql/extension/entity-service.js';
import type { EnginePage, QueryEngine } from './query-engine.js';
import type { StrapiModel } from './describe-model.js';
import { refuseMissing } from './unsupported-code.js';
import type { AttachFiles } from './upload-service.js';

/** `strapi.entityService` of a project. */
export interface ProjectEntityService extends Omit<EntityService, 'findMany'> {
  /** Returns the entries; for a single type its entry, or null if there is none. */
  findMany(uid: string, parameters?: EntityParameters): Promise<Entity[] | Entity | null>;
  findPage(uid: string, parameters?: EntityParameters): Promise<EnginePage>;
  /** Returns the value of a relation, component or dynamic zone of an entry. */
  load(uid: string, entry: { readonly id: EntityId }, name: string, parameters?: EntityParameters): Promise<unknown>;
  /**
   * Stores files and links them to an entry: `{ cover: file, gallery: [file, file] }`. `create` and `update` accept `files` too.
   */
  uploadFiles(uid: string, entry: { readonly id: EntityId }, files: object): Promise<void>;
  /** Deletes the entries that match `filters`. */
  deleteMany(uid: string, parameters?: EntityParameters): Promise<{ readonly count: number }>;
}

interface EntityParts {
  readonly base: EntityService;
  readonly query: (uid: string) => QueryEngine;
  /** Throws an Error for an unknown uid. */
  readonly model: (uid: string) => StrapiModel;
  readonly attachFiles: AttachFiles;
}

export function createProjectEntityService({ base, query, model, attachFiles }: EntityParts): ProjectEntityService {
  const withFiles = async (uid: string, entry: Entity, { files, ...parameters }: EntityParameters): Promise<Entity> => {
    if (!(await attachFiles(uid, entry.id, files))) return entry;
    const { fields, populate, locale } = parameters;
    return (await base.findOne(uid, entry.id, { fields, populate, locale })) ?? entry;
  };
  const service: ProjectEntityService = {
    ...base,
    create: async (uid, parameters) => withFiles(uid, await base.create(uid, parameters), parameters),
    update: async (uid, id, parameters) => {
      const entry = await base.update(uid, id, parameters);
      return entry === null ? null : withFiles(uid, entry, parameters);
    },
    uploadFiles: async (uid, { id }, files) => void (await attachFiles(uid, id, files)),
    findMany: async (uid, parameters) => {
      if (model(uid).kind !== 'singleType') return base.findMany(uid, parameters);
      return (await base.findMany(uid, { ...parameters, limit: 1 }))[0] ?? null;
    },
    findPage: async (uid, { page = 1, pageSize = 10, ...parameters } = {}) => {
      const results = await base.findMany(uid, { ...parameters, pagination: { page, pageSize } });
      const total = await base.count(uid, parameters);
      const size = Math.max(Number(pageSize), 1);
      return { results, pagination: { page: Number(page), pageSize: size, pageCount: Math.ceil(total / size), total } };
    },
    load: async (uid, { id }, name, parameters) => {
      const entry = await base.findOne(uid, id, { fields: ['id'], populate: { [name]: parameters ?? true } });
      return entry?.[name] ?? null;
    },
    deleteMany: (uid, { filters } = {}) => query(uid).deleteMany({ filters }),
  };
  return refuseMissing(service, 'strapi.entityService');
}
