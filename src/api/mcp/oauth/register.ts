import type { Answer, RouteCall } from '#http/route.js';
import { registerClient } from './clients.js';
import { noStore } from './refusals.js';

/** Registers a client (RFC 7591). All clients are public ones, whatever they ask for. */
export async function register({ request, content }: RouteCall): Promise<Answer> {
  const { _id, name, redirectUris } = await registerClient(content.store.database, request.body);
  const body = {
    client_id: _id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return { status: 201, headers: noStore, body };
}
