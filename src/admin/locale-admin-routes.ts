import { createLocale, deleteLocale, listLocales, updateLocale, type ShownLocale } from '../content/locales.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { anything, closed } from './check-admin-body.js';

const changed = { name: { type: 'string', minLength: 1 }, isDefault: { type: 'boolean' } } as const;

/** Locales; which of them is the default one is `{ isDefault: true }`. */
export const localeAdminRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/locales', handle: ({ content }) => listLocales(content) },
  {
    method: 'POST',
    path: '/locales',
    body: closed({ code: anything, ...changed }),
    handle: (call) => changing(call, createLocale(call.body['code'], call.body, call)),
  },
  {
    method: 'PUT',
    path: '/locales/:code',
    body: closed(changed),
    handle: (call) => changing(call, updateLocale(codeOf(call), call.body, call)),
  },
  { method: 'DELETE', path: '/locales/:code', handle: (call) => changing(call, deleteLocale(codeOf(call), call)) },
];

const codeOf = ({ request }: AdminCall): string => request.params['code'] ?? '';

/** Lists the locales after a change, which is in force on this instance then. */
async function changing({ running, content }: AdminCall, change: Promise<void>): Promise<ShownLocale[]> {
  await change;
  await running.backend.models.load();
  return listLocales(content);
}
