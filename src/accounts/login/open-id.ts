import { validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { Database } from '#store/send/database.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { putLoginState } from './login-states.js';
import { hashCode } from './passwords.js';
import { beginCodeFlow, type CodeFlow, finishCodeFlow, type FlowTokens } from '../providers/code-flow.js';
import { loginError, oauthClient, oauthLibrary } from '../providers/oauth-client.js';
import { knownProvider, type KnownProvider } from '../providers/ready-providers.js';

export type { CodeFlow } from '../providers/code-flow.js';

/** A client of an OpenID Connect provider. */
interface OpenIdClient {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `openid` is added if it is missing; `openid email profile` by default. */
  readonly scopes?: readonly string[];
}

const providerOf = ({ name, issuer, clientId, clientSecret, scopes = [] }: OpenIdClient): KnownProvider => ({
  ...knownProvider(name, { issuer, clientId, clientSecret }),
  ready: null,
  scope: [...new Set(['openid', ...(scopes.length === 0 ? ['email', 'profile'] : scopes)])].join(' '),
});

/** Begins a log-in in a browser. Returns the URL to send it to, and what `finishOpenId` needs. Throws a 502 or 503 if the provider fails. */
export const beginOpenId = (client: OpenIdClient, callback: string) => beginCodeFlow(providerOf(client), callback);

/** A browser that has returned from a provider. */
interface ReturnedBrowser {
  readonly address: URL;
  readonly flow: CodeFlow;
  /** Returns whether the claims of a token have all that is needed. */
  readonly isComplete: (claims: Values) => boolean;
}

/** Milliseconds for which a flow that was used is remembered, which is longer than any is valid. */
const remembered = 3_600_000;

/**
 * Finishes a log-in, once for each flow. Returns the claims of the id token, with those of the user-info address if the token is not
 * complete. Throws a ValidationError if the flow was used before or the provider has not confirmed the log-in, and a 502 or 503 if it
 * fails.
 */
export async function finishOpenId(
  client: OpenIdClient,
  { address, flow, isComplete }: ReturnedBrowser,
  database: Database,
): Promise<Values> {
  const used = { _id: hashCode(`used ${flow.state}`), value: null, expiresAt: new Date(Date.now() + remembered) };
  await putLoginState(database, used).catch((error: unknown) => {
    throw error instanceof DuplicateKey ? validationError('This log-in was used before. Begin again.') : error;
  });
  const tokens = await finishCodeFlow(providerOf(client), address, flow);
  const claims = tokens.claims ?? {};
  if (isComplete(claims)) return claims;
  const { iss, sub, email, email_verified, ...others } = claims;
  const profile = await readUserInfo(client, tokens);
  // The address and whether it is verified come from one answer.
  const mail = profile['email'] === undefined ? { email, email_verified } : {};
  return { ...others, ...mail, ...profile, iss, sub };
}

async function readUserInfo(client: OpenIdClient, { claims, accessToken }: FlowTokens): Promise<Values> {
  const configuration = await oauthClient(providerOf(client));
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  const { fetchUserInfo } = await oauthLibrary();
  return fetchUserInfo(configuration, accessToken, String(claims?.['sub'])).catch(async (error: unknown) => {
    throw await loginError(client.name, error);
  });
}
