import type { Accounts } from '#content/rights/accounts.js';
import { addressesOf } from './addresses.js';
import { offeredScopes } from './scopes.js';

/** Returns the metadata of the authorization server (RFC 8414). */
export function describeServer(accounts: Accounts): object {
  const { issuer } = addressesOf(accounts);
  const { registration } = accounts.config.api.mcp.oauth;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    ...(registration && { registration_endpoint: `${issuer}/register` }),
    scopes_supported: offeredScopes(accounts.config),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** Returns the metadata of the endpoint for agents (RFC 9728). */
export function describeResource(accounts: Accounts): object {
  const { issuer, resource } = addressesOf(accounts);
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: offeredScopes(accounts.config),
    bearer_methods_supported: ['header'],
    resource_name: 'Mangrove',
  };
}
