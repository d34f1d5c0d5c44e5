import type { ProviderSettings, ReadyName } from '#settings/provider-settings.js';
import type { AskedProvider } from './call-provider.js';

/** The settings of a provider together with what is known of it. */
export interface KnownProvider extends ProviderSettings, AskedProvider {
  /** Name of the ready provider; null for others. */
  readonly ready: ReadyName | null;
}

type Defaults = (settings: ProviderSettings) => Partial<ProviderSettings>;

const facebook = 'https://graph.facebook.com';

/** The addresses and scopes of providers, as their documentation tells. */
const readyDefaults: Readonly<Record<ReadyName, Defaults>> = {
  apple: () => ({ issuer: 'https://appleid.apple.com', scope: 'openid email' }),
  discord: () => ({
    authorizeUrl: 'https://discord.com/oauth2/authorize',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    userInfoUrl: 'https://discord.com/api/users/@me',
    tokenInfoUrl: 'https://discord.com/api/oauth2/@me',
    scope: 'identify email',
    profile: { verified: 'verified' },
  }),
  // Facebook does not say whether an address is verified.
  facebook: () => ({
    issuer: 'https://www.facebook.com',
    jwksUrl: 'https://www.facebook.com/.well-known/oauth/openid/jwks/',
    authorizeUrl: 'https://www.facebook.com/dialog/oauth',
    tokenUrl: `${facebook}/oauth/access_token`,
    userInfoUrl: `${facebook}/me?fields=id,name,email`,
    tokenInfoUrl: `${facebook}/debug_token`,
    scope: 'email public_profile',
  }),
  github: ({ clientId, url }) => {
    const api = url === undefined ? 'https://api.github.com' : `${url}/api/v3`;
    return {
      authorizeUrl: `${url ?? 'https://github.com'}/login/oauth/authorize`,
      tokenUrl: `${url ?? 'https://github.com'}/login/oauth/access_token`,
      userInfoUrl: `${api}/user`,
      emailsUrl: `${api}/user/emails`,
      tokenInfoUrl: `${api}/applications/${encodeURIComponent(clientId)}/token`,
      scope: 'read:user user:email',
      profile: { username: 'login', verified: 'verified' },
    };
  },
  gitlab: ({ url = 'https://gitlab.com' }) => ({
    authorizeUrl: `${url}/oauth/authorize`,
    tokenUrl: `${url}/oauth/token`,
    userInfoUrl: `${url}/api/v4/user`,
    tokenInfoUrl: `${url}/oauth/token/info`,
    scope: 'read_user',
    profile: { verified: 'verified' },
  }),
  google: () => ({ issuer: 'https://accounts.google.com', tokenInfoUrl: 'https://oauth2.googleapis.com/tokeninfo' }),
  // Administrators of a tenant choose the addresses of its users. Only this optional claim says that an address is verified.
  microsoft: ({ tenant = 'common' }) => ({
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    profile: { verified: 'xms_edov' },
  }),
};

const isReady = (name: string): name is ReadyName => Object.hasOwn(readyDefaults, name);

/** Returns the complete settings of a provider. With an issuer of its own it is OpenID Connect, whatever its name. */
export function knownProvider(name: string, settings: ProviderSettings): KnownProvider {
  const ready = isReady(name) ? name : null;
  const defaults = ready === null ? {} : readyDefaults[ready](settings);
  const isOpenId = settings.issuer !== undefined && settings.authorizeUrl === undefined;
  return isOpenId && defaults.authorizeUrl !== undefined
    ? { ...settings, name, ready: null }
    : { ...defaults, ...settings, name, ready };
}

/** Returns whether logins in a browser use OpenID Connect. Otherwise they use OAuth 2 and the user-info address. */
export const isOpenId = ({ authorizeUrl }: KnownProvider): boolean => authorizeUrl === undefined;

/** Returns the client ids whose tokens are accepted. */
export const audiencesOf = ({ clientId, audiences = [] }: ProviderSettings): readonly [string, ...string[]] => [
  clientId,
  ...audiences,
];
