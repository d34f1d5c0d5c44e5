import { ForbiddenError } from '../../errors.js';
import { CallerAuth } from '../../code/caller-state.js';
import { refuseMissing } from '../load/unsupported-code.js';

/** `strapi.auth`. Members that log in are not offered. */
export const codeAuth = refuseMissing(
  {
    verify: (auth: unknown, { scope = [] }: { readonly scope?: string | readonly string[] } = {}): Promise<void> => {
      const isAllowed = auth instanceof CallerAuth && [scope].flat().every((action) => auth.ability.can(action));
      return isAllowed ? Promise.resolve() : Promise.reject(new ForbiddenError());
    },
  },
  'strapi.auth',
);
