import { createHash } from 'node:crypto';
import { isRecord, type Values } from '#base/values.js';
import type { Accounts } from '#content/rights/accounts.js';
import type { Answer, RouteCall } from '#http/route.js';
import { accountsOf } from '#http/running.js';
import { addressesOf } from './addresses.js';
import { checkResource, requiredText, textIn } from './authorization-request.js';
import { findCurrentUser } from './current-user.js';
import { endGrant, findGrant, type Grant, redeemCode, rotate } from './grants.js';
import { noStore, OAuthError } from './refusals.js';
import { readScopes, type Scope } from './scopes.js';
import { accessLifetime, accessToken, grantToken, readAccessToken, readGrantToken } from './tokens.js';

/** A request of a client for tokens. */
interface TokenCall {
  readonly parameters: URLSearchParams;
  readonly client: string;
  readonly accounts: Accounts;
  readonly call: RouteCall;
}

/** Answers with tokens: for the code of a grant, or for its refresh token. Throws an OAuthError. */
export async function issueTokens(call: RouteCall): Promise<Answer> {
  const request = tokenCall(call);
  checkResource(request.parameters, addressesOf(request.accounts).resource);
  switch (requiredText(request.parameters, 'grant_type')) {
    case 'authorization_code':
      return exchangeCode(request);
    case 'refresh_token':
      return refresh(request);
    default:
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }
}

/** Ends the grant of a token (RFC 7009). The answer to a token that is not valid is the same. */
export async function revoke(call: RouteCall): Promise<Answer> {
  const { parameters, client, accounts } = tokenCall(call);
  const { database } = call.content.store;
  const token = requiredText(parameters, 'token');
  const claims = readAccessToken(token, addressesOf(accounts), accounts.tokens);
  const id = typeof claims === 'string' ? readGrantToken('refresh token', token, accounts.tokens)?.grant : claims.grant;
  const grant = id === undefined ? null : await findGrant(database, id);
  if (grant?.client.id === client) await endGrant(database, grant._id);
  return { headers: noStore, body: {} };
}

/**
 * Returns the parameters of a request. Throws an OAuthError for a body that is no form, for a repeated parameter, and for a client with a
 * secret, which none has.
 */
function tokenCall(call: RouteCall): TokenCall {
  const { body, headers } = call.request;
  if (/^basic\b/i.test(headers.authorization ?? ''))
    throw new OAuthError('invalid_client', 'Clients have no secret here: send client_id in the body', 401);
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '') || !isRecord(body))
    throw new OAuthError('invalid_request', 'The body must be a form (application/x-www-form-urlencoded)');
  const parameters = parametersIn(body);
  return { parameters, client: requiredText(parameters, 'client_id'), accounts: accountsOf(call.running), call };
}

/** Parameters that a request may have several times (RFC 8707, 2). */
const repeatable: ReadonlySet<string> = new Set(['resource']);

function parametersIn(form: Values): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) {
    const texts = [value].flat().filter((one) => typeof one === 'string');
    if (texts.length > 1 && !repeatable.has(name)) throw new OAuthError('invalid_request', 'A parameter must not be repeated');
    for (const text of texts) parameters.append(name, text);
  }
  return parameters;
}

const refusedCode = (): OAuthError => new OAuthError('invalid_grant', 'The code is not valid, was used, or has expired');
const refusedRefresh = (): OAuthError =>
  new OAuthError('invalid_grant', 'The refresh token is not valid, was used, has expired, or its grant has ended');

async function exchangeCode({ parameters, client, accounts, call }: TokenCall): Promise<Answer> {
  const code = readGrantToken('code', requiredText(parameters, 'code'), accounts.tokens);
  const [uri, verifier] = [textIn(parameters, 'redirect_uri'), requiredText(parameters, 'code_verifier')];
  const { database } = call.content.store;
  const grant = code && (await findGrant(database, code.grant));
  if (grant === null) throw refusedCode();
  if (grant.redeemedAt !== null) return endWith(grant, call, refusedCode());
  // clients of OAuth 2.1 leave the address out (10.2): the verifier says that the code is theirs
  if (grant.client.id !== client || (uri !== null && grant.redirectUri !== uri)) throw refusedCode();
  if (createHash('sha256').update(verifier).digest('base64url') !== grant.challenge)
    throw new OAuthError('invalid_grant', 'code_verifier does not belong to the code');
  await checkUser(grant, call, accounts);
  if (!(await redeemCode(database, grant))) return endWith(grant, call, refusedCode());
  return tokensOf(grant, { scopes: grant.scopes, count: 0 }, accounts);
}

async function refresh({ parameters, client, accounts, call }: TokenCall): Promise<Answer> {
  const token = readGrantToken('refresh token', requiredText(parameters, 'refresh_token'), accounts.tokens);
  const { database } = call.content.store;
  const grant = token && (await findGrant(database, token.grant));
  if (token === null || grant === null) throw refusedRefresh();
  if (token.count < grant.rotation) return endWith(grant, call, refusedRefresh());
  if (grant.client.id !== client || grant.redeemedAt === null || token.count !== grant.rotation) throw refusedRefresh();
  const scopes = scopesFor(grant, textIn(parameters, 'scope'));
  await checkUser(grant, call, accounts);
  if (!(await rotate(database, grant))) return endWith(grant, call, refusedRefresh());
  return tokensOf(grant, { scopes, count: grant.rotation + 1 }, accounts);
}

/** Ends a grant, and throws an error. If a code or refresh token was used twice, one of those who had it has stolen it. */
async function endWith({ _id }: Grant, { content }: RouteCall, error: OAuthError): Promise<never> {
  await endGrant(content.store.database, _id);
  throw error;
}

/** Returns the scopes of an access token. Throws an OAuthError for more than the grant has. */
function scopesFor({ scopes }: Grant, text: string | null): readonly Scope[] {
  if (text === null) return scopes;
  const named = readScopes(text);
  if (named.length > 0 && named.every((scope) => scopes.includes(scope))) return named;
  throw new OAuthError('invalid_scope', `scope must have one of ${scopes.join(', ')}, and no other`);
}

/** Ends a grant whose user may not send requests any more, and throws an OAuthError. */
async function checkUser(grant: Grant, call: RouteCall, accounts: Accounts): Promise<void> {
  if ((await findCurrentUser(grant, call, accounts)) === null)
    await endWith(grant, call, new OAuthError('invalid_grant', 'The grant has ended'));
}

interface Issued {
  readonly scopes: readonly Scope[];
  /** The number of the refresh token. */
  readonly count: number;
}

function tokensOf({ _id: grant, user, client }: Grant, { scopes, count }: Issued, accounts: Accounts): Answer {
  const scope = scopes.join(' ');
  const { tokens } = accounts;
  const body = {
    access_token: accessToken({ grant, user, client: client.id, scope }, addressesOf(accounts), tokens),
    token_type: 'Bearer',
    expires_in: accessLifetime,
    refresh_token: grantToken('refresh token', { grant, count }, tokens),
    scope,
  };
  return { headers: noStore, body };
}
