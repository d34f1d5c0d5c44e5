import { ForbiddenError } from '../errors.js';
import { CallerAuth } from '../graphql/graphql-context.js';
import { refuseMissing } from './unsupported-code.js';

/** `strapi.auth` for code of a project. */
export interface CodeAuth {
  /**
   * Resolves if the caller may do the actions of `scope`, such as `api::article.article.find`. `auth` is `ctx.state.auth`. Rejects
   * with a ForbiddenError otherwise.
   */
  verify(auth: unknown, config?: { readonly scope?: string | readonly string[] }): Promise<void>;
}

/** `strapi.auth`. Members that log in are not offered. */
export const codeAuth: CodeAuth = refuseMissing(
  {
    verify: (auth, { scope = [] } = {}) => {
      const isAllowed = auth instanceof CallerAuth && [scope].flat().every((action) => auth.ability.can(action));
      return isAllowed ? Promise.resolve() : Promise.reject(new ForbiddenError());
    },
  },
  'strapi.auth',
);
