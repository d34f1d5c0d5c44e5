import { type Entity, entityOf, entryType } from '#api/code/entity-service.js';
import type { ContentContext } from '#content/content-context.js';
import { createLocalization } from '#content/create-localization.js';
import { decodeId, type Values } from '#base/values.js';
import { engineQuery } from '../content/translate-query.js';

interface NewLocalization {
  /** The id of an entry in another locale. */
  readonly id: number | string;
  /** The values, with the new `locale`. */
  readonly data: Values;
}

/** `strapi.plugin('i18n').service('core-api')`. */
export const createLocalizationService = ({ content }: { readonly content: () => ContentContext }) => ({
  /** Returns a function that creates the entry of another locale, and returns it. */
  createCreateLocalizationHandler:
    ({ uid }: { readonly uid: string }) =>
    async ({ id, data }: NewLocalization): Promise<Entity> => {
      const context = content();
      const type = entryType(uid, context.bind.registry);
      const query = engineQuery({}, context.bind.limits);
      return entityOf(await createLocalization({ type, id: decodeId(String(id)) }, { data, query }, context));
    },
});
