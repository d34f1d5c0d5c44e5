import type { ContentType } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import type { BuilderTools } from './builder-tools.js';
import type { Entity, EntityService } from './entity-service.js';

export interface OfType {
  readonly contentType: ContentType;
}

/** Functions behind generated fields, for own fields that call them; they give entities, not responses. */
export interface QueriesBuilder {
  readonly buildQueriesResolvers: (of: OfType) => {
    readonly find: (parent: unknown, args: Values) => Promise<Entity[]>;
    readonly findOne: (parent: unknown, args: Values) => Promise<Entity | null>;
  };
  readonly buildMutationsResolvers: (of: OfType) => {
    readonly create: (parent: unknown, args: Values) => Promise<Entity>;
    readonly update: (parent: unknown, args: Values) => Promise<Entity | null>;
    readonly delete: (parent: unknown, args: Values) => Promise<Entity | null>;
  };
}

export const createQueriesBuilder = (entities: EntityService, tools: BuilderTools): QueriesBuilder => ({
  buildQueriesResolvers: ({ contentType }) => ({
    find: (_parent, args) => entities.findMany(contentType.uid, tools.transformArgs(args, { contentType, usePagination: true })),
    findOne: (_parent, { id }) => entities.findOne(contentType.uid, String(id)),
  }),
  buildMutationsResolvers: ({ contentType: { uid } }) => ({
    create: (_parent, args) => entities.create(uid, { data: dataOf(args) }),
    update: (_parent, { id, ...args }) => entities.update(uid, String(id), { data: dataOf(args) }),
    delete: (_parent, { id }) => entities.delete(uid, String(id)),
  }),
});

const dataOf = ({ data }: Values): object => (isRecord(data) ? { ...data } : {});
