import type { Me } from '../../accounts/users/find-me.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { Values } from '../../values.js';

export interface LoginPayload {
  readonly jwt: string | null;
  /** Null unless refresh tokens are switched on. */
  readonly refreshToken: string | null;
  readonly user: Me;
}

/** A mutation of accounts. Its arguments are those of the field, and it throws the same ApiErrors as REST. */
type Operation<Result> = (args: Values, context: GraphqlContext) => Promise<Result>;

/** Operations on accounts for GraphQL. They return users by id, which are then read as selected. */
export interface AccountsService {
  readonly me: (context: GraphqlContext) => Promise<Me | null>;
  readonly login: Operation<LoginPayload>;
  readonly register: Operation<LoginPayload>;
  readonly forgotPassword: Operation<{ readonly ok: boolean }>;
  readonly resetPassword: Operation<LoginPayload>;
  readonly changePassword: Operation<LoginPayload>;
  readonly emailConfirmation: Operation<LoginPayload>;
  readonly createRole: Operation<{ readonly ok: boolean }>;
  readonly updateRole: Operation<{ readonly ok: boolean }>;
  readonly deleteRole: Operation<{ readonly ok: boolean }>;
  readonly createUser: Operation<number>;
  readonly updateUser: Operation<number>;
  /** Called after the user was read. */
  readonly deleteUser: Operation<void>;
  /** Returns the user as it was. */
  readonly deleteMe: Operation<Me | null>;
  /** Null unless refresh tokens are switched on. */
  readonly sessions: SessionOperations | null;
}

/** The operations on refresh tokens. */
export interface SessionOperations {
  readonly refresh: Operation<LoginPayload>;
  readonly logout: Operation<{ readonly ok: boolean }>;
}
