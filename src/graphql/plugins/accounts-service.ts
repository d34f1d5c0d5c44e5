import type { Me } from '../../accounts/users/find-me.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { Values } from '../../values.js';

export interface LoginPayload {
  readonly jwt: string | null;
  /** Null if refresh tokens are disabled. */
  readonly refreshToken: string | null;
  readonly user: Me;
}

/** A mutation of accounts, with the arguments of the field. It throws the same ApiErrors as REST. */
type Operation<Result> = (args: Values, context: GraphqlContext) => Promise<Result>;

/** Operations on accounts. They return ids of users, which are then read as selected. */
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
  /** Returns the former content of the user. */
  readonly deleteMe: Operation<Me | null>;
  /** Null if refresh tokens are disabled. */
  readonly sessions: SessionOperations | null;
}

/** The operations on refresh tokens. */
export interface SessionOperations {
  readonly refresh: Operation<LoginPayload>;
  readonly logout: Operation<{ readonly ok: boolean }>;
}
