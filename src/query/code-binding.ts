import { fullAccess, type Access } from './access.js';
import type { BindSettings } from './bind-context.js';

/** The rights of project code: as in Strapi v4, it sees everything. */
export const codeAccess: Access = { ...fullAccess, seesPrivate: true };

/** Returns the settings that reads by project code are bound with. Limits for clients do not apply to nested lists. */
export const codeSettings = (settings: BindSettings): BindSettings => ({ ...settings, maxNested: null, roleUsers: true });

/** Returns the settings for reads by project code without limits for pages. */
export const unpagedSettings = (settings: BindSettings): BindSettings => ({
  ...codeSettings(settings),
  maxLimit: null,
  withCount: true,
});
