import { readAll } from '../mongo/database.js';
import type { PluginRoute } from './plugin-routes.js';

/** `GET /i18n/locales`: a bare array (rest.md 9.1). */
export const localeRoutes: readonly PluginRoute[] = [
  {
    method: 'GET',
    path: '/i18n/locales',
    demand: 'plugin::i18n.locales.listLocales',
    handle: async ({ ctx, content: { store, bind } }) => {
      const locales = await readAll(store.database, { find: 'i18n_locales', sort: { _id: 1 }, batchSize: 1000 });
      ctx.body = locales.map(({ _id, name, code, createdAt, updatedAt }) => ({
        id: Number(_id),
        name: String(name),
        code: String(code),
        createdAt: createdAt as unknown,
        updatedAt: updatedAt as unknown,
        isDefault: code === bind.defaultLocale,
      }));
    },
  },
];
