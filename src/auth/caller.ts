import type { Access } from '../query/access.js';
import type { ApiToken } from './api-token.js';
import type { KnownUser } from './known-user.js';
import type { Role } from './role.js';

/** Who sends a request, and what they may do. */
export type Caller =
  | {
      readonly kind: 'public';
      readonly access: Access;
      /** Nothing at all is granted to the public, so that it is asked for credentials instead of refused. */
      readonly publicRoleIsEmpty: boolean;
      /** A token of a user came along that has expired, and was ignored. */
      readonly hasExpired: boolean;
    }
  | {
      readonly kind: 'user';
      readonly access: Access;
      readonly user: KnownUser;
      readonly role: Role | null;
      /** What the user may do by sending no credentials. */
      readonly publicActions: ReadonlySet<string>;
    }
  | { readonly kind: 'token'; readonly access: Access; readonly token: ApiToken };
