import { shaped } from './setting.js';

const text = { type: 'string', minLength: 1 };
const page = {
  type: 'string',
  format: 'uri',
  pattern: '^https?://.',
  description: 'an address that begins with http:// or https://',
};
/** An address that the service itself asks. Secrets are sent there, so plain HTTP must not leave the machine. */
export const providerAddress = {
  type: 'string',
  format: 'uri',
  pattern: '^(https://[^/@]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]+)?)(/.*)?$',
  description: 'an address that begins with https://, or with http:// and is on this machine',
};

/** The settings of a provider that are texts. */
const texts = {
  clientId: text,
  clientSecret: text,
  /** URL of an OpenID Connect provider. Everything else is read from `/.well-known/openid-configuration` below it. */
  issuer: providerAddress,
  scope: { type: 'string' },
  /** URL that the browser is sent to after the login, with an `access_token` in the query. */
  redirect: page,
  authorizeUrl: providerAddress,
  tokenUrl: providerAddress,
  userInfoUrl: providerAddress,
  /** Address that tells for which client an access token was issued (RFC 7662). */
  introspectionUrl: providerAddress,
  /** The address of a ready provider with the same purpose. */
  tokenInfoUrl: providerAddress,
  /** Address of the e-mail addresses of a user of GitHub. */
  emailsUrl: providerAddress,
  /** Address of the keys that sign id tokens, if `issuer` is not asked for it. */
  jwksUrl: providerAddress,
  /** Address of an own installation of GitLab or GitHub. */
  url: providerAddress,
  /** Directory of Microsoft. */
  tenant: { type: 'string', pattern: '^[A-Za-z0-9.-]+$', description: 'the id or domain of a tenant' },
  /** The key that signs the client secret of Apple, in PEM. */
  privateKey: text,
  keyId: text,
  teamId: text,
};

/** The paths in a profile. `verified` is that of the flag that the e-mail address is verified. */
const paths = { id: text, email: text, username: text, verified: text };

/** Where the answer of a user-info address has the parts of an identity: paths such as `email` or `data.user.email`. */
export type ProfileMap = { readonly [Part in keyof typeof paths]?: string };

/** A provider that users may log in with: OpenID Connect with `issuer`, else OAuth 2 with the addresses. */
export type ProviderSettings = { readonly [Name in keyof typeof texts]?: string } & {
  readonly clientId: string;
  /** Further client ids whose tokens are accepted, such as those of mobile apps. */
  readonly audiences?: readonly string[];
  readonly profile?: ProfileMap;
};

const properties = {
  ...texts,
  audiences: { type: 'array', items: text },
  profile: { type: 'object', additionalProperties: false, properties: paths },
};

const schemaOf = (...required: readonly string[]) => ({
  type: 'object',
  required: ['clientId', ...required],
  additionalProperties: false,
  properties,
});

const withSecret = schemaOf('clientSecret');

/** The providers whose addresses are known, with what each requires. */
const readySchemas = {
  apple: schemaOf('teamId', 'keyId', 'privateKey'),
  discord: withSecret,
  facebook: withSecret,
  github: withSecret,
  gitlab: withSecret,
  google: withSecret,
  microsoft: withSecret,
};

/** The names of providers whose addresses are known. */
export type ReadyName = keyof typeof readySchemas;

/** A provider without `issuer` needs the three addresses of OAuth 2. */
const ownSchema = {
  ...withSecret,
  // Twice negated, so that one error says what is missing.
  not: { not: { anyOf: [{ required: ['issuer'] }, { required: ['authorizeUrl', 'tokenUrl', 'userInfoUrl'] }] } },
  description: 'a provider with issuer (OpenID Connect), or with authorizeUrl, tokenUrl and userInfoUrl (OAuth 2)',
};

export const loginProviders = shaped<Readonly<Record<string, ProviderSettings>>>(
  { type: 'object', properties: readySchemas, additionalProperties: ownSchema },
  {},
  'Log-in providers by name: clientId, clientSecret, redirect; others than apple, discord, facebook, github, gitlab, google and microsoft also need issuer (OpenID Connect), or authorizeUrl, tokenUrl and userInfoUrl (OAuth 2)',
);
