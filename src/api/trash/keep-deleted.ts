import type { ContentContext } from '#content/content-context.js';
import { optionOf } from '#model/schema/model-option.js';
import type { Subscriber } from '#store/changes/entry-events.js';
import { localeGroup, withoutDerivedFields } from '#store/form/layout.js';
import { readFormerLinks } from '#store/write/former-links.js';
import { targetsOf } from '../history/version-targets.js';
import { trashOption } from './trash-option.js';
import { storeDeletedEntry } from './trash-store.js';

const day = 86_400_000;

/**
 * Returns the subscriber that keeps each deleted entry of a type with `options.trash`, in the transaction of its deletion. It hears of it
 * before the links of other entries are removed.
 */
export const keepingDeleted = (content: () => ContentContext): Subscriber => ({
  subscribesTo: (kind, type) => kind === 'delete' && optionOf(type, trashOption) !== null,
  within: async (event, database) => {
    const retention = optionOf(event.type, trashOption);
    if (event.kind !== 'delete' || retention === null) return;
    const { type, id, at, by } = event;
    const { registry } = content().bind;
    const document = withoutDerivedFields(event.document);
    const entry = {
      ...{ uid: type.uid, of: id, at, by, document },
      targets: targetsOf(document, type, registry),
      ...(type.localized && { group: localeGroup.of(document) }),
      expiresAt: new Date(at.getTime() + retention.days * day),
    };
    await storeDeletedEntry(database, entry, await readFormerLinks({ type, id }, registry, database));
  },
});
