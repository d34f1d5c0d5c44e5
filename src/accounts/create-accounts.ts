import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.js';
import type { UserTokens } from '../auth/user-tokens.js';
import type { Config } from '../config/config.js';
import type { Accounts } from './accounts.js';
import { createMailer, type Address } from './mail/mailer.js';

interface AccountsInput {
  readonly config: Config;
  readonly tokens: UserTokens;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly address: Address;
}

/** Puts together what users and roles need. */
export function createAccounts({ config, tokens, authenticator, logger, address }: AccountsInput): Accounts {
  return {
    config,
    authenticator,
    tokens,
    mailer: createMailer({ config, logger, settings: authenticator.settings, address }),
    logger,
    address,
  };
}
