import type { Context } from 'koa';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import { forbiddenError } from '../errors.js';
import type { Backend } from '../mongo/open-backend.js';
import { allows, fullAccess, type Access } from '../query/access.js';
import type { BindContext } from '../query/bind-context.js';
import { actionOf, type ContentType } from '../schema/content-type.js';

/** Decides who may do what, and hands on what an operation works with. */
export interface Gate {
  /** The context of an action on a type. Throws a ForbiddenError where the caller may not do it. */
  authorize(ctx: Context, type: ContentType, action: string): Promise<ContentContext>;
}

const noAccess: Access = { grants: { kind: 'actions', actions: new Set() }, rules: new Map(), hidden: new Map() };

/** The gate of a service without users: everything is allowed to everybody where the configuration says so, else nothing. */
export function createGate(config: Config, backend: () => Backend): Gate {
  const open = config.api.open ?? config.environment !== 'production';
  const access = open ? fullAccess : noAccess;
  return {
    authorize: (_ctx, type, action) => {
      if (!allows(access, actionOf(type, action))) throw forbiddenError();
      return Promise.resolve(createContext(config, backend(), access));
    },
  };
}

/** What operations of one request work with: this snapshot, this caller, the figures of REST. */
export function createContext({ api }: Config, { store, models }: Backend, access: Access): ContentContext {
  const { codes, default: defaultLocale } = models.locales();
  const { defaultLimit, maxLimit, withCount, strict } = api.rest;
  const bind: BindContext = {
    registry: models.current(),
    access,
    limits: api.limits,
    settings: { defaultLimit, maxLimit: maxLimit ?? 1000, withCount, strict },
    defaultLocale,
    locales: codes,
  };
  return { store, bind, createsDrafts: false };
}
