import { createHmac } from 'node:crypto';
import type { ReadyName } from '#settings/provider-settings.js';
import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { addressOf, askProvider, bearer, providerFailure } from './call-provider.js';
import { oauthClient } from './oauth-client.js';
import { isOpenId, type KnownProvider } from './ready-providers.js';

/**
 * Returns what the user-info address of a provider tells of the user of an access token. Throws a ValidationError if the provider
 * refuses the token, and a 502 or 503 if it fails.
 */
export async function readProfile(provider: KnownProvider, token: string): Promise<Values> {
  const url = provider.userInfoUrl ?? (await discoveredAddress(provider));
  const further = provider.ready === null ? undefined : furtherSteps[provider.ready];
  const profile = await askForUser(provider, further?.address?.(url, provider, token) ?? url, token);
  return further?.complete?.(profile, provider, token) ?? profile;
}

async function discoveredAddress(provider: KnownProvider): Promise<string> {
  const address = isOpenId(provider) ? (await oauthClient(provider)).serverMetadata().userinfo_endpoint : undefined;
  if (address === undefined) throw providerFailure(provider.name, 'the provider has no user-info address');
  return address;
}

async function askForUser(provider: KnownProvider, url: string, token: string): Promise<Values> {
  const { status, body } = await askProvider(provider, url, bearer(token));
  const { name } = provider;
  if (status === 401 || status === 403) throw validationError(`The provider ${name} refuses the access_token`);
  if (status !== 200) throw providerFailure(name, `status ${String(status)}`);
  return isRecord(body) ? body : {};
}

/** What reading the profile of a ready provider needs besides its address. */
interface FurtherSteps {
  readonly address?: (url: string, provider: KnownProvider, token: string) => string;
  readonly complete?: (profile: Values, provider: KnownProvider, token: string) => Values | Promise<Values>;
}

const furtherSteps: Partial<Record<ReadyName, FurtherSteps>> = {
  facebook: { address: withProof },
  github: { complete: withPrimaryAddress },
  gitlab: { complete: (profile) => ({ ...profile, verified: typeof profile['confirmed_at'] === 'string' }) },
};

/** Adds the proof that apps of Facebook may require. */
function withProof(url: string, { name, clientSecret = '' }: KnownProvider, token: string): string {
  const target = addressOf(name, url);
  target.searchParams.set('appsecret_proof', createHmac('sha256', clientSecret).update(token).digest('hex'));
  return target.href;
}

/** Replaces the public address of a user of GitHub by the primary one, if that is verified. */
async function withPrimaryAddress(profile: Values, provider: KnownProvider, token: string): Promise<Values> {
  const { body } = await askProvider(provider, provider.emailsUrl ?? '', bearer(token));
  const addresses = Array.isArray(body) ? body.filter(isRecord) : [];
  const primary = addresses.find(({ primary, verified }) => primary === true && verified === true);
  return { ...profile, email: primary?.['email'], verified: primary !== undefined };
}
