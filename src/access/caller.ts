import type { Access } from '../query/access.js';
import type { ApiToken } from './api-token.js';
import type { KnownUser } from './known-user.js';
import type { Role } from './role.js';

/** Who sends a request, and what they may do. */
export type Caller =
  /** `isShut`: nothing at all is granted to the public, so that it is asked for credentials instead of refused. */
  | { readonly kind: 'public'; readonly access: Access; readonly isShut: boolean }
  | {
      readonly kind: 'user';
      readonly access: Access;
      readonly user: KnownUser;
      readonly role: Role | null;
      /** What the user may do by sending no credentials. */
      readonly publicActions: ReadonlySet<string>;
    }
  | { readonly kind: 'token'; readonly access: Access; readonly token: ApiToken };
