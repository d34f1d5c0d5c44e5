import type { Declaration } from '#http/feature.js';
import type { Config } from '#settings/config.js';
import { providerAddress } from '#settings/provider-settings.js';
import { flag, group, shaped, type ValueOf } from '#settings/setting.js';

/** An OpenID Connect provider that administrators sign on with. */
export interface SignOnProvider {
  /** The name in addresses. */
  readonly name: string;
  /** The text of the button. */
  readonly displayName: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `openid email profile` by default. */
  readonly scopes?: readonly string[];
  /** The claim with the groups of an administrator: its name, or a path such as `realm_access.roles`. */
  readonly claim: string;
  /** The code or name of a role, by the value of the claim that gives it. */
  readonly roles: Readonly<Record<string, string>>;
  /** The domains of e-mail addresses that are let in; all by default. */
  readonly allowedDomains?: readonly string[];
  /** Whether an existing administrator with the same verified e-mail address becomes the one of the provider. */
  readonly link?: boolean;
}

const text = { type: 'string', minLength: 1, maxLength: 200 };
const texts = { type: 'array', maxItems: 100, items: text };

const provider = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'displayName', 'issuer', 'clientId', 'clientSecret', 'claim', 'roles'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,39}$', description: 'up to 40 small letters, digits and hyphens' },
    displayName: text,
    issuer: providerAddress,
    clientId: text,
    clientSecret: { type: 'string', minLength: 1 },
    scopes: texts,
    claim: text,
    roles: { type: 'object', minProperties: 1, maxProperties: 1_000, additionalProperties: text },
    allowedDomains: { ...texts, minItems: 1 },
    link: { type: 'boolean' },
  },
};

/** The settings of single sign-on. */
export const signOnSettings = {
  admin: {
    sso: group({
      providers: shaped<readonly SignOnProvider[]>(
        { type: 'array', maxItems: 20, items: provider },
        [],
        'OpenID Connect providers that administrators sign on with: name, displayName, issuer, clientId, clientSecret, scopes, claim, roles, allowedDomains, link (docs/panel.md)',
      ),
      only: flag(false, 'Refuse all log-ins of administrators by password, also those of super admins', {
        variable: 'ADMIN_SSO_ONLY',
      }),
    }),
  },
} satisfies Declaration['settings'];

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'admin.sso': ValueOf<typeof signOnSettings.admin.sso>;
  }
}

/** Returns the settings; undefined in a configuration that was created without those of features. */
const signOnSettingsOf = ({ admin }: Pick<Config, 'admin'>) => (admin as Partial<Config['admin']>).sso; // the type says that all are there

/** Returns the providers; none in a configuration without them. */
export const signOnProviders = (config: Config): readonly SignOnProvider[] => signOnSettingsOf(config)?.providers ?? [];

/** Returns whether administrators log in by a provider alone. */
export const isSignOnOnly = (config: Config): boolean => signOnSettingsOf(config)?.only === true;
