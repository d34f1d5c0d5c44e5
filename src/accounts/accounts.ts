import type { Accounts } from '#content/rights/accounts.js';
import type { Caller } from '#content/rights/caller.js';
import type { ContentContext } from '#content/content-context.js';
import { createMailer } from './mail/mailer.js';

export type { Accounts } from '#content/rights/accounts.js';

/** The caller of a request, and the content operations in that caller's scope. */
export interface AccountCall {
  readonly request: {
    /** The address of the client. */
    readonly ip: string;
    readonly requestId?: string;
  };
  readonly caller: Caller;
  readonly content: ContentContext;
}

/** The body of a request, before validation. */
export type Body = Readonly<Record<string, unknown>>;

/** Returns the components that the operations on users and roles use, with a mailer. */
export const createAccounts = (parts: Omit<Accounts, 'mailer'>): Accounts => ({ ...parts, mailer: createMailer(parts) });
