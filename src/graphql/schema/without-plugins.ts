import type { PluginsConfig } from '../../config/config.js';
import { defaultShadow, type Shadow } from './shadow.js';

/** The parts of the service that can be switched off, by the beginning of the uids of their types. */
const plugins = {
  'plugin::users-permissions.': 'users-permissions',
  'plugin::i18n.': 'i18n',
  'plugin::upload.': 'upload',
} as const;

/** A schema without the types of parts that are switched off; fields that lead to them are gone as well. */
export function withoutPlugins(config: PluginsConfig, shadow: Shadow = defaultShadow): Shadow {
  const off = Object.entries(plugins).flatMap(([prefix, name]) => (config[name].enabled ? [] : [prefix]));
  if (off.length === 0) return shadow;
  return { ...shadow, hasType: (uid) => !off.some((prefix) => uid.startsWith(prefix)) && shadow.hasType(uid) };
}
